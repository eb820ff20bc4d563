# SPDX-License-Identifier: MIT
"""A data source for Ray: the partitions of a scan or query as tasks. `parts` are these."""
import ray.data
from ray.data.block import BlockMetadata


class Partitions(ray.data.Datasource):
    def __init__(self, parts):
        super().__init__()
        self.parts = parts

    def estimate_inmemory_data_size(self):
        return sum(part.plain_bytes or 0 for part in self.parts)

    def get_read_tasks(self, parallelism, per_task_row_limit=None, data_context=None):
        return [self.task(part, per_task_row_limit) for part in self.parts]

    def task(self, part, limit):
        about = BlockMetadata(part.rows, part.plain_bytes, exec_stats=None, input_files=[part.path])
        return ray.data.ReadTask(lambda: [part.read()], about, per_task_row_limit=limit)


dataset = ray.data.read_datasource(Partitions(parts))
