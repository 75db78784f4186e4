/// How much of one thing a second of the processor did in each round.
public struct Rates {
  /// The rounds' figures.
  public var values: [Double] = []
  /// What something that it is compared with did in the same rounds; empty where there is none.
  public var beside: [Double] = []
  private let name: String

  /// Names the thing.
  public init(_ name: String) { self.name = name }

  /// Prints all of it as one line of JSON.
  public func report() { print("{\"name\": \"\(name)\", \"rates\": \(values), \"beside\": \(beside)}") }
}
