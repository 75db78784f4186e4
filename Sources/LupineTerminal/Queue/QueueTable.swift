#if Terminal
  import LupineFoundation
  import LupineTransferQueue

  /// Transfers as lines of text, without any control character of their names.
  struct QueueTable {
    private static let header = ["ID", "STATE", "DONE", "GROUP", "URL"]

    let transfers: [TransferSnapshot]

    /// The lines of a table with its header.
    var lines: [String] {
      let rows = [Self.header] + transfers.map { Self.columns(of: $0) }
      let widths = Self.header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
      return rows.map { row in
        let columns = row.indices.map { column in
          column == row.count - 1
            ? row[column] : row[column] + String(repeating: " ", count: widths[column] - row[column].count)
        }
        return columns.joined(separator: "  ")
      }
    }

    /// One transfer in a line without columns.
    static func line(_ transfer: TransferSnapshot) -> String {
      columns(of: transfer).filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func columns(of transfer: TransferSnapshot) -> [String] {
      let place = transfer.path.map { transfer.isUpload ? " < \($0)" : " > \($0)" } ?? ""
      return [
        "\(transfer.id)", "\(transfer.state)", done(transfer), ControlEscaper.line(transfer.group ?? ""),
        ControlEscaper.line(transfer.url + place),
      ]
    }

    private static func done(_ transfer: TransferSnapshot) -> String {
      guard transfer.completed > 0 else { return "" }
      guard let total = transfer.total, total > 0 else { return "\(transfer.completed)" }
      // A runner may report any numbers.
      return "\(Int(min(100, Double(transfer.completed) * 100 / Double(total))))%"
    }
  }
#endif
