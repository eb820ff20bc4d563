// SPDX-License-Identifier: MIT
// RowTextKind for delimited text: forwards to tokenizer, type inference and loader. It does not
// change after construction, so threads share it.
#include "compress/table/text/row_text_kind.h"

namespace presso {
namespace {

/// Tokenises rows, and gives them to type_inference.h.
class DelimitedFinder final : public ColumnFinder {
 public:
  DelimitedFinder(const Dialect& dialect, const TextForm& form,
                  const std::vector<std::string>& names, const LoadOptions& options)
      : dialect_(dialect),
        names_(names),
        options_(options),
        types_(names.size(), form, options.rules) {}

  Status add(Bytes text, std::uint64_t first_line) override {
    RecordBatch batch;
    for (std::size_t at = 0; at < text.size();) {
      PRESSO_ASSIGN(at, tokenize(dialect_, text, at, kBatchRecords, true, batch, first_line));
      if (options_.leave_out_bad_rows) leave_out_bad_rows(batch);
      types_.add(batch, text, first_line);
    }
    return {};
  }
  void move_lines(std::uint64_t lines) override { types_.move_lines(lines); }
  void merge(const ColumnFinder& later) override {
    types_.merge(static_cast<const DelimitedFinder&>(later).types_);
  }
  Result<TableSchema> finish() const override { return types_.finish(names_); }
  std::vector<ColumnReport> report() const override { return types_.report(); }

 private:
  // Drops records with a wrong number of fields from the batch: they must not tell types, because
  // one broken line would make a string of every column.
  void leave_out_bad_rows(RecordBatch& batch) const {
    RecordBatch kept;
    kept.first_field.push_back(0);
    for (std::size_t r = 0; r < batch.records(); ++r) {
      const std::size_t fields = batch.fields_of(r);
      if (fields != names_.size() && !(options_.fill && fields < names_.size())) continue;
      kept.fields.insert(kept.fields.end(), batch.fields.begin() + batch.first_field[r],
                         batch.fields.begin() + batch.first_field[r + 1]);
      kept.first_field.push_back(static_cast<std::uint32_t>(kept.fields.size()));
      kept.begin.push_back(batch.begin[r]);
    }
    if (kept.begin.size() == batch.records()) return;
    kept.begin.push_back(batch.begin.back());
    batch = std::move(kept);
  }

  const Dialect& dialect_;
  const std::vector<std::string>& names_;
  const LoadOptions& options_;
  TypeInference types_;
};

/// Owns form, names and options, to which finders keep references.
class DelimitedKind final : public RowTextKind {
 public:
  DelimitedKind(const TextForm& form, std::vector<std::string> names, const LoadOptions& options)
      : form_(form),
        names_(std::move(names)),
        options_(options),
        dialect_(dialect_of(form, names_.size(), options.rules)) {}

  Result<std::size_t> last_row_end(Bytes text) const override {
    return last_record_end(dialect_, text);
  }
  Result<std::size_t> pass_rows(Bytes text, std::size_t at, std::size_t most, bool text_ends_here,
                                std::size_t& rows) const override {
    RecordBatch batch;
    rows = 0;
    while (rows < most) {
      const std::size_t wanted = std::min(most - rows, kBatchRecords);
      PRESSO_ASSIGN(at, tokenize(dialect_, text, at, wanted, text_ends_here, batch));
      if (batch.records() == 0) break;
      rows += batch.records();
    }
    return at;
  }
  std::unique_ptr<ColumnFinder> new_finder() const override {
    return std::make_unique<DelimitedFinder>(dialect_, form_, names_, options_);
  }
  Result<LoadedRows> load(Bytes text, const TableSchema& schema,
                          std::uint64_t first_line) const override {
    return load_rows(text, schema, first_line, options_);
  }
  Result<std::vector<RowPlace>> find_bad_rows(Bytes text,
                                              const TableSchema& schema) const override {
    return presso::find_bad_rows(text, schema, options_);
  }

 private:
  const TextForm form_;
  const std::vector<std::string> names_;
  const LoadOptions options_;
  const Dialect dialect_;
};

}  // namespace

std::unique_ptr<RowTextKind> make_delimited_kind(const TextForm& form,
                                                 std::vector<std::string> names,
                                                 const LoadOptions& options) {
  return std::make_unique<DelimitedKind>(form, std::move(names), options);
}

}  // namespace presso
