public import LupineFoundation

extension RequestBody {
  /// Bytes of an array in memory; see `bytes(_:)` for `Data`.
  public static func bytes(_ bytes: [UInt8]) -> RequestBody { .bytes(Data(bytes)) }

  /// Unavailable: `bytes(_:)` takes the data.
  @available(*, unavailable, renamed: "bytes(_:)")
  public static func data(_ data: Data) -> RequestBody { .bytes(data) }
}
