import HTTPTypes
import LupineCore
import LupineSupport

/// The decoders of one body.
struct BodyDecoding: Sendable {
  /// The names of the codings that are removed, in the order in which they were applied.
  let names: [String]
  /// The name of a coding that is kept, because the session lacks it, the body is a part, or there are too many; `nil` if
  /// every coding is removed.
  ///
  /// If it is not `nil`, no coding is removed.
  let unknown: String?
  /// The decoders, the last coding first.
  private let decoders: [any BodyTransformer]

  private init(names: [String], unknown: String?, decoders: [any BodyTransformer]) {
    self.names = names
    self.unknown = unknown
    self.decoders = decoders
  }

  /// Finds the decoders for a value of `Content-Encoding`.
  ///
  /// - Parameters:
  ///   - isPart: whether the body is a part (RFC 9110 section 14), which cannot be decoded. Default: `false`.
  ///   - codings: the codings of the session.
  /// - Throws: the error of a coding that cannot make a decoder.
  init(
    contentEncoding: String?, isPart: Bool = false, codings: [any ContentCoding], limits: Limits
  ) throws(LupineError) {
    let names = CodingNames.names(in: contentEncoding)
    let found = names.map { name in codings.named(name) }
    let isKept = isPart || names.count > limits.contentCodings
    if let missing = zip(names, found).first(where: { $0.1 == nil || isKept })?.0 {
      self.init(names: [], unknown: missing, decoders: [])
      return
    }
    let caps = DecodingLimits(maximumSize: .max, maximumRatio: limits.decodingRatio)
    var decoders: [any BodyTransformer] = []
    for coding in found.reversed() {
      if let coding { decoders.append(try coding.makeDecoder(limits: caps)) }
    }
    self.init(names: names, unknown: nil, decoders: decoders)
  }

  func decode(_ bytes: UnsafeRawBufferPointer, into output: BodyTransformer.Output) throws(LupineError) {
    try decoders[...].transform(bytes, into: output)
  }

  /// Ends the body.
  ///
  /// - Throws: `LupineError` of kind `contentDecodingFailed` if the coded data ends too early.
  func finish(into output: BodyTransformer.Output) throws(LupineError) { try decoders[...].finish(into: output) }
}

/// The names in `Content-Encoding`.
enum CodingNames {
  /// The names in lower case without `identity`.
  static func names(in value: String?) -> [String] {
    (value ?? "").split(separator: ",").map { $0.trimmingBlanks().lowercased() }.filter {
      !$0.isEmpty && $0 != "identity"
    }
  }
}

extension [any ContentCoding] {
  /// The coding of this name.
  func named(_ name: String) -> (any ContentCoding)? {
    first { $0.name == name || $0.aliases.contains(name) }
  }
}

extension ArraySlice<any BodyTransformer> {
  /// Passes bytes through the transformers, in order.
  func transform(_ bytes: UnsafeRawBufferPointer, into output: BodyTransformer.Output) throws(LupineError) {
    guard let stage = first else { return try output(bytes) }
    try stage.transform(bytes) { (piece) throws(LupineError) in try dropFirst().transform(piece, into: output) }
  }

  /// Makes the transformers, in order, pass on what each holds back.
  func flush(into output: BodyTransformer.Output) throws(LupineError) {
    guard let stage = first else { return }
    try stage.flush { (piece) throws(LupineError) in try dropFirst().transform(piece, into: output) }
    try dropFirst().flush(into: output)
  }

  /// Ends the transformers, in order, and passes on what each still holds.
  func finish(into output: BodyTransformer.Output) throws(LupineError) {
    guard let stage = first else { return }
    try stage.finish { (piece) throws(LupineError) in try dropFirst().transform(piece, into: output) }
    try dropFirst().finish(into: output)
  }
}
