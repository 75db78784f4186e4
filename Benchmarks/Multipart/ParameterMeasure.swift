import FoundationEssentials
import Glibc
import HTTPTypes
import LupineCore

/// The encoders of parameters: megabytes of body a second of processor time.
enum ParameterMeasure {
  private struct Item: Encodable, Sendable {
    let id: Int
    let title: String
    let tags: [String]
    let price: Double
    let isAvailable: Bool
    let maker: Maker?
  }

  private struct Maker: Encodable, Sendable {
    let name: String
    let town: String
  }

  private static let items = (0..<500).map { number in
    Item(
      id: number, title: "A field of bluebonnets, no. \(number)", tags: ["blue", "wild", "texas"],
      price: 12.5 + Double(number), isAvailable: number.isMultiple(of: 2),
      maker: number.isMultiple(of: 3) ? nil : Maker(name: "Lady & Bird", town: "Fredericksburg"))
  }

  private static let parameters: Parameters = [
    "items": .array(
      items.map { item in
        [
          "id": .integer(Int64(item.id)), "title": .string(item.title), "tags": ["blue", "wild", "texas"],
          "price": .number(item.price), "isAvailable": .bool(item.isAvailable),
        ]
      })
  ]

  /// Prints a line for each encoder; JSON beside Foundation's encoder alone, in turn.
  static func report() throws {
    try reportJSON("JSON body of structures", items)
    try reportJSON("JSON body of Parameters", parameters)
    let form = try rates([{ try body(of: ["items": items], .urlEncodedForm) }])[0]
    print("  URL-encoded form of structures: \(decimal(form)) MB/s")
  }

  private static func reportJSON(_ name: String, _ value: some Encodable & Sendable) throws {
    let rates = try rates([{ try body(of: value, .json) }, { try JSONEncoder().encode(value).count }])
    print("  \(name): \(decimal(rates[0])) MB/s, \(decimal(rates[0] / rates[1])) of JSONEncoder's alone")
  }

  private static func body(of value: some Encodable & Sendable, _ encoder: any ParameterEncoder) throws -> Int {
    let request = try OutgoingRequest("https://example.com", method: .post).encoding(value, with: encoder)
    return Int(request.body.length ?? 0)
  }

  /// Megabytes a second of each, the best of seven rounds in which all take their turn.
  private static func rates(_ encoders: [() throws -> Int]) throws -> [Double] {
    var best = encoders.map { _ in 0.0 }
    for _ in 0..<7 {
      for (index, encode) in encoders.enumerated() {
        let start = processorTime()
        var count = 0
        for _ in 0..<20 { count += try encode() }
        best[index] = max(best[index], Double(count) / 1_000_000 / (processorTime() - start))
      }
    }
    return best
  }

  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
