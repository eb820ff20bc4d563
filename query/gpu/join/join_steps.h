// SPDX-License-Identifier: MIT
// The kernels of a join in their order. These are templates over what runs kernels, so that the
// tests in the emulator and device_join.cu go through the same steps. A Launcher has
//
//     Status fill(void* at, int byte, std::uint64_t bytes);
//     Status run<Body>(std::uint64_t blocks, std::uint32_t shared_bytes, const Body::Arguments&);
//
// run() calls Body::run(arguments) in thread blocks of Body::kThreads threads: in as many as are
// asked for if Body::kWholeGrid, otherwise in at most as many as run at once. For 0 blocks it does
// nothing.
//
// The steps of every strategy: build a structure of the build keys; if keys may repeat, collect
// rows with equal keys into groups (row_groups.cuh); look the probe rows up, and either count and
// write at once, or keep what is found and make the pairs from that (match_list.cuh); finally give
// the build rows without a match (unmatched_rows.cuh). Tested by tests/simt/join_suite.cpp.
//
// Kernels of each strategy:
//
//   strategy          building                                             looking up
//   kDirect           BuildArray                                           LookUp<KeyArray>
//   kTable            BuildTable                                           LookUp<KeyTable>
//   kRadix            CountParts, PlaceParts, MoveRows (for each side),    JoinItems
//                     GroupParts, PlaceItems
//   kMerge            CountTaking, WriteTaking, SplitTiles, FlagRuns,      LookUp<KeyMerge>
//                     GroupRuns
//   kChained          BuildChained                                         LookUp<ChainedTable>
//   kChainedShared,   -                                                    ProbeSlices
//   kChainedSplit
//
// The host never waits in between. Whether keys repeat, and sums that decide about places, stay in
// device memory; a kernel that turns out to be unnecessary returns at once.
#pragma once

#include "query/gpu/join/build_array.cuh"
#include "query/gpu/join/build_table.cuh"
#include "query/gpu/join/chained_slices.cuh"
#include "query/gpu/join/chained_table.cuh"
#include "query/gpu/join/device_join_plan.h"
#include "query/gpu/join/join_sources.h"
#include "query/gpu/join/key_merge.cuh"
#include "query/gpu/join/look_up.cuh"
#include "query/gpu/join/part_join.cuh"
#include "query/gpu/join/unmatched_rows.cuh"

namespace presso::gpu {

/// One join with its memory. `Source` (key_source.cuh) says how keys are read: of 32 or 64 bits, or
/// narrowed. References must outlive the object.
template <class Source, class Launcher>
class JoinSteps {
 public:
  using Key = typename Source::Key;

  JoinSteps(const JoinPlan& plan, const Source& source, void* d_temporary, Launcher& launcher)
      : plan_(plan),
        source_(source),
        input_(plan.input()),
        memory_(plan.memory()),
        base_(static_cast<Byte*>(d_temporary)),
        launcher_(launcher) {}

  /// Builds the structure and counts the pairs; what is found is kept if the plan says so.
  Status count() {
    PRESSO_TRY(prepare());
    PRESSO_TRY(plan_.keeps_found() ? find_all() : look_up(false, {}));
    return count_unmatched();
  }

  /// Writes the pairs. Called after count(), any number of times.
  Status write(const JoinPairs& pairs) {
    if (plan_.keeps_found()) {
      PRESSO_TRY(write_list(pairs));
    } else {
      PRESSO_TRY(launcher_.fill(&totals()->pairs, 0, sizeof(std::uint64_t)));
      PRESSO_TRY(look_up(true, pairs));
    }
    return write_unmatched(pairs);
  }

  /// Counts and writes without looking anything up twice.
  Status join(const JoinPairs& pairs) {
    PRESSO_TRY(prepare());
    PRESSO_TRY(write_pairs(pairs));
    PRESSO_TRY(count_unmatched());
    return write_unmatched(pairs);
  }

 private:
  /// Memory at an offset of the plan.
  template <class T>
  T* at(std::uint64_t offset) const {
    return reinterpret_cast<T*>(base_ + offset);
  }
  JoinTotals* totals() const { return at<JoinTotals>(memory_.totals); }

  /// Runs a body that knows the bytes of its shared memory.
  template <class Body>
  Status run(std::uint64_t blocks, const typename Body::Arguments& arguments) {
    return launcher_.template run<Body>(blocks, Body::kSharedBytes, arguments);
  }
  /// Runs a body whose shared memory depends on the plan.
  template <class Body>
  Status run_with(std::uint64_t blocks, std::uint32_t shared_bytes,
                  const typename Body::Arguments& arguments) {
    return launcher_.template run<Body>(blocks, shared_bytes, arguments);
  }

  std::uint64_t build_tiles() const { return tiles_of(input_.build.count); }
  std::uint64_t probe_tiles() const { return tiles_of(input_.probe.count); }
  /// Whether probe rows are looked up by kernels of the strategy's own, not by LookUp.
  bool finds_apart() const {
    return input_.strategy == DeviceJoinAlgorithm::kRadix || plan_.has_slices();
  }

  /// Bits of build rows with a match; null if nobody asks for them.
  u32* matched() const {
    return memory_.matched != 0 ? at<u32>(memory_.matched) : input_.d_matched;
  }
  MatchOutput output(const JoinPairs& pairs) const { return {pairs, totals(), matched()}; }

  // --- building

  /// Clears memory, builds the strategy's structure, and collects groups.
  /// A leader of kNoRow means "not a further row"; counts of further rows begin at 0.
  Status prepare() {
    PRESSO_TRY(launcher_.fill(totals(), 0, sizeof(JoinTotals)));
    if (plan_.marks_rows()) {
      const std::uint64_t words = (std::uint64_t{input_.build.count} + kWordBits - 1) / kWordBits;
      PRESSO_TRY(launcher_.fill(matched(), 0, words * sizeof(u32)));
    }
    if (plan_.needs_groups()) {
      const std::uint64_t bytes = std::uint64_t{input_.build.count} * sizeof(u32);
      PRESSO_TRY(launcher_.fill(at<u32>(memory_.leader), 0xFF, bytes));
      PRESSO_TRY(launcher_.fill(at<u32>(memory_.further), 0, bytes));
    }
    switch (input_.strategy) {
      case DeviceJoinAlgorithm::kDirect:
        PRESSO_TRY(build_array());
        break;
      case DeviceJoinAlgorithm::kTable:
        PRESSO_TRY(build_table());
        break;
      case DeviceJoinAlgorithm::kRadix:
        PRESSO_TRY(build_parts());
        break;
      case DeviceJoinAlgorithm::kMerge:
        return prepare_merge();
      case DeviceJoinAlgorithm::kChained:
        PRESSO_TRY(build_chains());
        break;
      case DeviceJoinAlgorithm::kChainedShared:
      case DeviceJoinAlgorithm::kChainedSplit:
        PRESSO_TRY(group_by_slices());
        break;
      case DeviceJoinAlgorithm::kAuto:
        break;
    }
    return plan_.needs_groups() ? place_groups() : Status();
  }

  // The structures, as kernels take them.
  KeyTable<Key> table() const {
    return {at<KeyUnit<Key>>(memory_.structure),
            static_cast<u32>(units_of(input_.build.count, sizeof(Key)))};
  }
  KeyArray<Key> array() const {
    return {at<u32>(memory_.structure), static_cast<Key>(input_.range->least),
            static_cast<Key>(plan_.places() - 1)};
  }

  ChainedTable<Key> chains() const {
    auto* const slots = at<u32>(memory_.structure);
    return {static_cast<const Key*>(input_.build.d_keys), slots, slots + plan_.chain_slots(),
            plan_.chain_slots()};
  }

  // Building: each clears its structure, fills it and, if keys may repeat, finds groups.
  Status build_chains() {
    const std::uint64_t bytes = sizeof(u32) * std::uint64_t{plan_.chain_slots()};
    PRESSO_TRY(launcher_.fill(chains().slots, 0xFF, bytes));
    PRESSO_TRY(run<BuildChained<Key>>(build_tiles(), {chains(), input_.build}));
    return find_groups(chains());
  }

  Status build_table() {
    const std::uint64_t bytes = key_table_bytes(input_.build.count, sizeof(Key));
    PRESSO_TRY(launcher_.fill(at<Byte>(memory_.structure), 0xFF, bytes));
    PRESSO_TRY(run<BuildTable<Source>>(build_tiles(), {table(), input_.build, totals(), source_}));
    return find_groups(table());
  }

  Status build_array() {
    PRESSO_TRY(launcher_.fill(at<Byte>(memory_.structure), 0xFF, plan_.places() * sizeof(u32)));
    const ArrayBuildArguments<Key> arguments{array(), input_.build, totals()};
    if (!plan_.needs_groups()) return run<BuildArray<Key, true>>(build_tiles(), arguments);
    PRESSO_TRY((run<BuildArray<Key, false>>(build_tiles(), arguments)));
    return find_groups(array());
  }

  // --- groups

  /// Arguments of the kernels of row_groups.cuh.
  GroupArguments groups() const {
    GroupArguments to;
    to.rows = input_.build.count;
    to.totals = totals();
    if (!plan_.needs_groups()) return to;
    to.leader = at<u32>(memory_.leader);
    to.further = at<u32>(memory_.further);
    to.groups = at<RowGroup>(memory_.groups);
    to.tile_begins = at<u64>(memory_.group_sums);
    to.list = at<u32>(memory_.group_list);
    to.scratch = to.further;
    to.long_groups = at<u32>(memory_.long_groups);
    to.long_count = at<u32>(memory_.long_count);
    to.marks = matched();
    return to;
  }

  /// Looks every build row up in the finished structure: what it finds is the number of its group.
  /// Not used by merging, where runs are groups, nor by parts, which find groups while they are
  /// built.
  template <class Finder>
  Status find_groups(const Finder& finder) {
    if (!plan_.needs_groups()) return {};
    if constexpr (reads_for<Finder>()) {
      return run<FindGroups<Finder, Source>>(build_tiles(),
                                             {finder, input_.build, groups(), source_});
    }
    return {};
  }

  /// For all structures whose rows do not ascend: gives groups their places in the list, and fills
  /// and sorts them.
  Status place_groups() {
    if (plan_.is_single()) return {};  // only marks are spread
    const GroupArguments arguments = groups();
    PRESSO_TRY(run<SumGroups>(build_tiles(), arguments));
    ScanArguments scan;
    scan.begins = arguments.tile_begins;
    scan.count = build_tiles();
    scan.condition = &totals()->has_duplicates;
    PRESSO_TRY(run<ScanSums>(1, scan));
    PRESSO_TRY(run<PlaceGroups>(build_tiles(), arguments));
    PRESSO_TRY(run<FillGroups>(build_tiles(), arguments));
    if (!input_.ordered) return {};
    PRESSO_TRY(launcher_.fill(arguments.long_count, 0, sizeof(u32)));
    PRESSO_TRY(run<SortShortGroups>(build_tiles(), arguments));
    return run<SortLongGroups>(input_.build.count / kShortGroup, arguments);
  }

  /// Marks of groups become marks of all their rows.
  Status spread_marks() {
    if (!plan_.needs_groups() || !plan_.marks_rows()) return {};
    return run<SpreadMarks>(build_tiles(), groups());
  }

  // --- parts

  // Radix: the two sides' partitions, and spare memory of the same layout.
  PartBits bits() const { return {plan_.first_bits(), plan_.second_bits(), plan_.run_rows()}; }
  Parts<Key> build_side() const {
    return {at<Key>(memory_.build_hashes), at<u32>(memory_.build_rows),
            at<u32>(memory_.build_begins), at<u32>(memory_.build_counts)};
  }
  Parts<Key> probe_side() const {
    return {at<Key>(memory_.probe_hashes), at<u32>(memory_.probe_rows),
            at<u32>(memory_.probe_begins), at<u32>(memory_.probe_counts)};
  }
  Parts<Key> spare() const {
    return {at<Key>(memory_.spare_hashes), at<u32>(memory_.spare_rows), nullptr, nullptr};
  }

  /// Partitions both sides, and in between leaves one row for each build key.
  /// Spare memory is used in turn: by the levels of the build side, by GroupParts, then by the
  /// levels of the probe side.
  Status build_parts() {
    PRESSO_TRY(launcher_.fill(at<u32>(memory_.build_counts), 0,
                              2 * sizeof(u32) * std::uint64_t{bits().parts()}));
    PRESSO_TRY(partition(input_.build, build_side()));
    if (!input_.unique) {
      PRESSO_TRY(
          run_with<GroupParts<Key>>(bits().parts(), GroupParts<Key>::shared_bytes(plan_.slots()),
                                    {build_side(), spare(), bits(), plan_.slots(), groups()}));
    }
    PRESSO_TRY(partition(input_.probe, probe_side()));
    return run<PlaceItems>(1, {bits(), at<u32>(memory_.build_counts), at<u32>(memory_.probe_counts),
                               plan_.item_rows(), at<u32>(memory_.item_begins)});
  }

  /// Counts, places and moves the rows of one side, in one or two levels.
  /// A level has few enough bins for their remainders to fit into shared memory; more parts than
  /// that take two levels, the first of which writes to spare memory.
  Status partition(const JoinRows& rows, const Parts<Key>& to) {
    const std::uint64_t count_tiles =
        (std::uint64_t{rows.count} + kCountThreads * kCountItems - 1) /
        (kCountThreads * kCountItems);
    PRESSO_TRY(run_with<CountParts<Source>>(count_tiles, CountParts<Source>::shared_bytes(bits()),
                                            {rows, bits(), to.counts, source_}));
    PlacePartsArguments places;
    places.bits = bits();
    places.counts = to.counts;
    places.begins = to.begins;
    places.rows = to.rows;
    places.parts = {at<u32>(memory_.fronts), at<u32>(memory_.backs)};
    places.groups = {at<u32>(memory_.group_fronts), at<u32>(memory_.group_backs)};
    places.group_begins = at<u32>(memory_.group_begins);
    places.group_counts = at<u32>(memory_.group_counts);
    places.group_tiles = at<u32>(memory_.group_tiles);
    PRESSO_TRY(run<PlaceParts>(1, places));

    const bool has_two = bits().second > 0;
    const std::uint64_t tiles = (std::uint64_t{rows.count} + kMoveRows - 1) / kMoveRows;
    MoveArguments<Source> first;
    first.bits = bits();
    first.side = rows;
    first.source = source_;
    first.hashes = has_two ? spare().hashes : to.hashes;
    first.rows = has_two ? spare().rows : to.rows;
    first.cursors = has_two ? places.groups : places.parts;
    using First = MoveRows<Source, 1>;
    PRESSO_TRY(run_with<First>(tiles, First::shared_bytes(bits()), first));
    if (!has_two) return {};
    MoveArguments<PlainKeys<Key>> second;
    second.bits = bits();
    second.hashes_in = first.hashes;
    second.rows_in = first.rows;
    second.group_begins = places.group_begins;
    second.group_counts = places.group_counts;
    second.group_tiles = places.group_tiles;
    second.hashes = to.hashes;
    second.rows = to.rows;
    second.cursors = places.parts;
    using Second = MoveRows<PlainKeys<Key>, 2>;
    return run_with<Second>(tiles, Second::shared_bytes(bits()), second);
  }

  /// Looks up the probe rows of all parts.
  /// `items` is a bound: each part has at most one item that is not full.
  template <PartMode kMode>
  Status join_parts(const JoinPairs& pairs) {
    using Body = JoinItems<Key, kMode>;
    JoinItemsArguments<Key> to;
    to.build = build_side();
    to.probe = probe_side();
    to.bits = bits();
    to.slots = plan_.slots();
    to.item_rows = plan_.item_rows();
    to.item_begins = at<u32>(memory_.item_begins);
    to.pairs = choice_of(input_.kind).pairs;
    // For a list of matches, SumTiles marks the build rows.
    to.out = {pairs, totals(), plan_.keeps_found() ? nullptr : matched()};
    to.found = plan_.keeps_found() ? at<u32>(memory_.found) : nullptr;
    const std::uint64_t items = bits().parts() + input_.probe.count / plan_.item_rows();
    return run_with<Body>(items, Body::shared_bytes(plan_.slots()), to);
  }

  // --- chains in shared memory

  /// Chains in shared memory: builds and looks up in one kernel.
  /// With one slice all thread blocks build the same chains and divide the probe rows; with
  /// several, each thread block takes one slice and goes through all probe rows.
  template <SliceMode kMode>
  Status probe_slices(const JoinRows& probe, u32* found, const JoinPairs& pairs) {
    SliceArguments<Key> to;
    to.build = input_.build;
    to.probe = probe;
    to.slice_rows = plan_.slice_rows();
    to.slots = plan_.chain_slots();
    to.least = plan_.needs_groups();
    to.choice = choice_of(input_.kind);
    to.out = {pairs, totals(), matched()};
    to.found = found;
    const std::uint64_t slices = plan_.slices();
    const std::uint64_t blocks = slices > 1 ? slices : slice_tiles_of(probe.count);
    using Body = ProbeSlices<Key, kMode>;
    const u32 shared = Body::shared_bytes(plan_.slice_rows(), plan_.chain_slots());
    return run_with<Body>(probe.count == 0 ? 0 : blocks, shared, to);
  }

  /// Finds the groups of build rows by looking them up in all slices.
  Status group_by_slices() {
    if (!plan_.needs_groups()) return {};
    PRESSO_TRY(probe_slices<SliceMode::kKeep>(input_.build, at<u32>(memory_.leader), {}));
    return run<CountFurther>(build_tiles(), groups());
  }

  /// Keeps what is found for each probe row.
  /// With several slices each writes only what it finds, so `found` is cleared first.
  Status keep_from_slices() {
    auto* const found = at<u32>(memory_.found);
    const std::uint64_t bytes = sizeof(u32) * std::uint64_t{input_.probe.count};
    if (plan_.slices() > 1) PRESSO_TRY(launcher_.fill(found, 0xFF, bytes));
    return probe_slices<SliceMode::kKeep>(input_.probe, found, {});
  }

  // --- merging

  /// The build side for merging: the column itself or, if bitmaps leave rows out, a copy of the
  /// rows that take part.
  AscendingKeys<Key> ascending() const {
    AscendingKeys<Key> to;
    to.sign = static_cast<Key>(plan_.sign_bit());
    to.keys = static_cast<const Key*>(input_.build.d_keys);
    to.most = input_.build.count;
    if (!plan_.leaves_rows_out()) return to;
    to.keys = at<Key>(memory_.taking_keys);
    to.rows = at<u32>(memory_.taking_rows);
    to.d_count = at<u64>(memory_.taking_begins) + build_tiles();
    return to;
  }
  KeyMerge<Key> merge() const { return {ascending(), at<u64>(memory_.splits)}; }

  /// Copies build rows that take part, splits the work among tiles, and finds runs of equal keys.
  Status prepare_merge() {
    MergeArguments<Key> to;
    to.build = input_.build;
    to.probe = input_.probe;
    to.ascending = ascending();
    to.keys = at<Key>(memory_.taking_keys);
    to.rows = at<u32>(memory_.taking_rows);
    to.tile_begins = at<u64>(memory_.taking_begins);
    to.splits = at<u64>(memory_.splits);
    to.groups = groups();
    if (plan_.leaves_rows_out()) {
      PRESSO_TRY(run<CountTaking<Key>>(build_tiles(), to));
      ScanArguments scan;
      scan.begins = to.tile_begins;
      scan.count = build_tiles();
      PRESSO_TRY(run<ScanSums>(1, scan));
      PRESSO_TRY(run<WriteTaking<Key>>(build_tiles(), to));
    }
    PRESSO_TRY(run<SplitTiles<Key>>(probe_tiles() / kTileThreads + 1, to));
    if (!plan_.needs_groups()) return {};
    PRESSO_TRY(run<FlagRuns<Key>>(build_tiles(), to));
    return run<GroupRuns<Key>>(build_tiles(), to);
  }

  // --- looking up

  /// Counts or writes at once, for plans that keep nothing.
  Status look_up(bool writes, const JoinPairs& pairs) {
    switch (input_.strategy) {
      case DeviceJoinAlgorithm::kDirect:
        PRESSO_TRY(look_up_in(array(), writes, pairs));
        break;
      case DeviceJoinAlgorithm::kTable:
        PRESSO_TRY(look_up_in(table(), writes, pairs));
        break;
      case DeviceJoinAlgorithm::kRadix:
        PRESSO_TRY(writes ? join_parts<PartMode::kWrite>(pairs)
                          : join_parts<PartMode::kCount>(pairs));
        break;
      case DeviceJoinAlgorithm::kMerge:
        PRESSO_TRY(look_up_in(merge(), writes, pairs));
        break;
      case DeviceJoinAlgorithm::kChained:
        PRESSO_TRY(look_up_in(chains(), writes, pairs));
        break;
      case DeviceJoinAlgorithm::kChainedShared:
      case DeviceJoinAlgorithm::kChainedSplit:
        PRESSO_TRY(writes ? probe_slices<SliceMode::kWrite>(input_.probe, nullptr, pairs)
                          : probe_slices<SliceMode::kCount>(input_.probe, nullptr, {}));
        break;
      case DeviceJoinAlgorithm::kAuto:
        break;
    }
    return spread_marks();
  }

  /// Narrowed keys are looked up in tables and parts only (JoinPlan::narrows()), so no other
  /// kernels are compiled for them.
  template <class Finder>
  static constexpr bool reads_for() {
    return kIsPlain<Source> || std::is_same_v<Finder, KeyTable<Key>>;
  }

  /// Runs LookUp in one of its modes.
  template <LookUpMode kMode, class Finder>
  Status run_look_up(const LookUpArguments<Finder, Source>& arguments) {
    if constexpr (reads_for<Finder>()) {
      return run<LookUp<Finder, kMode, Source>>(probe_tiles(), arguments);
    }
    return {};
  }

  template <class Finder>
  LookUpArguments<Finder, Source> arguments_of(const Finder& finder, const JoinPairs& pairs) const {
    return {finder, input_.probe, choice_of(input_.kind), output(pairs), nullptr, {}, {}, source_};
  }

  /// Counts or writes with a finder.
  template <class Finder>
  Status look_up_in(const Finder& finder, bool writes, const JoinPairs& pairs) {
    const auto arguments = arguments_of(finder, pairs);
    return writes ? run_look_up<LookUpMode::kWrite>(arguments)
                  : run_look_up<LookUpMode::kCount>(arguments);
  }

  /// Keeps what a finder finds.
  template <class Finder>
  Status keep_from(const Finder& finder) {
    auto arguments = arguments_of(finder, {});
    arguments.found = at<u32>(memory_.found);
    arguments.list = list({});
    return run_look_up<LookUpMode::kKeep>(arguments);
  }

  /// Writes pairs in the order of probe rows in a single run, so that nothing need be kept
  /// (tile_order.cuh).
  /// Only if a probe row has at most one pair: then a tile knows its number of pairs right after
  /// looking up.
  Status write_in_order(const JoinPairs& pairs) {
    const std::uint64_t bytes = sizeof(u64) * (probe_tiles() + 1);
    PRESSO_TRY(launcher_.fill(at<u64>(memory_.tile_begins), 0, bytes));
    switch (input_.strategy) {
      case DeviceJoinAlgorithm::kDirect:
        PRESSO_TRY(write_in_order_from(array(), pairs));
        break;
      case DeviceJoinAlgorithm::kMerge:
        PRESSO_TRY(write_in_order_from(merge(), pairs));
        break;
      case DeviceJoinAlgorithm::kChained:
        PRESSO_TRY(write_in_order_from(chains(), pairs));
        break;
      default:
        PRESSO_TRY(write_in_order_from(table(), pairs));
    }
    return spread_marks();
  }

  template <class Finder>
  Status write_in_order_from(const Finder& finder, const JoinPairs& pairs) {
    auto arguments = arguments_of(finder, pairs);
    arguments.order = {at<u32>(memory_.tile_begins), at<u64>(memory_.tile_begins) + 1};
    return run_look_up<LookUpMode::kWriteInOrder>(arguments);
  }

  /// Keeps what is found in the order of parts, or scatters it to the probe rows.
  /// Scattering is a random write for each match. It is only done if the order of probe rows
  /// matters, or if probe rows without a match are wanted.
  Status keep_from_parts() {
    if (plan_.keeps_by_part()) return join_parts<PartMode::kKeep>({});
    const std::uint64_t bytes = std::uint64_t{input_.probe.count} * sizeof(u32);
    PRESSO_TRY(launcher_.fill(at<u32>(memory_.found), 0xFF, bytes));
    return join_parts<PartMode::kScatter>({});
  }

  /// Chooses the fastest way to write without counting first.
  Status write_pairs(const JoinPairs& pairs) {
    if (!plan_.keeps_found()) return look_up(true, pairs);
    if (plan_.is_single() && !finds_apart()) return write_in_order(pairs);
    PRESSO_TRY(find_all());
    return write_list(pairs);
  }

  // --- build rows without a match

  /// Arguments of the kernels of unmatched_rows.cuh.
  UnmatchedArguments unmatched(const JoinPairs& pairs) const {
    return {input_.build, matched(), at<u64>(memory_.unmatched_begins), totals(), pairs};
  }

  /// Only for right and full joins.
  Status count_unmatched() {
    if (!gives_unmatched(input_.kind)) return {};
    PRESSO_TRY(run<CountUnmatched>(build_tiles(), unmatched({})));
    ScanArguments scan;
    scan.begins = at<u64>(memory_.unmatched_begins);
    scan.count = build_tiles();
    scan.total = &totals()->unmatched;
    return run<ScanSums>(1, scan);
  }

  Status write_unmatched(const JoinPairs& pairs) {
    if (!gives_unmatched(input_.kind) || pairs.capacity == 0) return {};
    return run<WriteUnmatched>(build_tiles(), unmatched(pairs));
  }

  // --- lists

  /// Entries of the list of what was found.
  std::uint64_t list_count() const {
    return plan_.keeps_by_part() ? entries_of(input_.probe.count, bits().parts(), plan_.run_rows())
                                 : input_.probe.count;
  }

  /// The list of what was found, for the kernels of match_list.cuh.
  /// The rows of a group are in group_list; for merging they are consecutive places of the build
  /// side.
  MatchList list(const JoinPairs& pairs) const {
    MatchList to;
    to.found = at<u32>(memory_.found);
    to.count = list_count();
    if (plan_.keeps_by_part()) {
      to.rows = at<u32>(memory_.probe_rows);
      to.limit = at<u32>(memory_.probe_begins) + bits().parts();
    }
    to.selected = input_.probe.d_selected;
    to.choice = choice_of(input_.kind);
    to.pairs = pairs;
    to.totals = totals();
    to.matched = matched();
    to.tile_begins = at<u64>(memory_.tile_begins);
    to.piece_begins = at<u64>(memory_.piece_begins);
    if (plan_.is_single()) return to;
    to.groups = at<RowGroup>(memory_.groups);
    const bool is_merge = input_.strategy == DeviceJoinAlgorithm::kMerge;
    if (!is_merge) {
      to.group_rows = at<u32>(memory_.group_list);
    } else if (plan_.leaves_rows_out()) {
      to.group_rows = at<u32>(memory_.taking_rows);
    }
    return to;
  }

  /// Finds and keeps, then computes where the pairs of each tile begin.
  /// LookUp adds up the pairs of tiles as it keeps; for parts and slices SumTiles does.
  Status find_all() {
    switch (input_.strategy) {
      case DeviceJoinAlgorithm::kDirect:
        PRESSO_TRY(keep_from(array()));
        break;
      case DeviceJoinAlgorithm::kTable:
        PRESSO_TRY(keep_from(table()));
        break;
      case DeviceJoinAlgorithm::kRadix:
        PRESSO_TRY(keep_from_parts());
        break;
      case DeviceJoinAlgorithm::kMerge:
        PRESSO_TRY(keep_from(merge()));
        break;
      case DeviceJoinAlgorithm::kChained:
        PRESSO_TRY(keep_from(chains()));
        break;
      case DeviceJoinAlgorithm::kChainedShared:
      case DeviceJoinAlgorithm::kChainedSplit:
        PRESSO_TRY(keep_from_slices());
        break;
      case DeviceJoinAlgorithm::kAuto:
        break;
    }
    const MatchList to = list({});
    if (finds_apart()) PRESSO_TRY(run<SumTiles>(tiles_of(to.count), to));
    ScanArguments scan;
    scan.begins = to.tile_begins;
    scan.piece_begins = to.piece_begins;
    scan.count = tiles_of(to.count);
    scan.total = &totals()->pairs;
    PRESSO_TRY(run<ScanSums>(1, scan));
    return spread_marks();
  }

  /// Writes pairs from what was kept.
  Status write_list(const JoinPairs& pairs) {
    if (pairs.capacity == 0) return {};
    const MatchList to = list(pairs);
    return run<WriteList>(tiles_of(to.count), to);
  }

  const JoinPlan& plan_;
  const Source source_;
  const JoinInput& input_;
  const JoinMemory& memory_;
  Byte* base_;
  Launcher& launcher_;
};

/// Calls use(steps) with steps for the plan's keys: narrowed, of 32 bits, or of 64 bits.
template <class Launcher, class Use>
Status with_join_steps(const JoinPlan& plan, void* d_temporary, Launcher& launcher,
                       const Use& use) {
  return with_key_source(plan, [&](const auto& source) {
    JoinSteps<std::decay_t<decltype(source)>, Launcher> steps(plan, source, d_temporary, launcher);
    return use(steps);
  });
}

}  // namespace presso::gpu
