/// The rates of one operation per second of processor time, one rate for each round.
public struct Rates {
  /// The rate of each round.
  public var values: [Double] = []
  /// The rates of the operation for comparison in the same rounds; empty if there is none.
  public var beside: [Double] = []
  private let name: String

  /// Creates empty rates for the operation `name`.
  public init(_ name: String) { self.name = name }

  /// Prints the name and the rates as one line of JSON.
  public func report() { print("{\"name\": \"\(name)\", \"rates\": \(values), \"beside\": \(beside)}") }
}
