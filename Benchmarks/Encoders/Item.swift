import LupineSession

/// One of the structures that a body contains.
struct Item: Encodable, Sendable {
  struct Maker: Encodable, Sendable {
    let name: String
    let town: String
  }

  let id: Int
  let title: String
  let tags: [String]
  let price: Double
  let isAvailable: Bool
  let maker: Maker?

  static let examples = (0..<500).map { number in
    Item(
      id: number, title: "A field of bluebonnets, no. \(number)", tags: ["blue", "wild", "texas"],
      price: 12.5 + Double(number), isAvailable: number.isMultiple(of: 2),
      maker: number.isMultiple(of: 3) ? nil : Maker(name: "Lady & Bird", town: "Fredericksburg"))
  }

  static let parameters: Parameters = [
    "items": .array(
      examples.map { item in
        [
          "id": .integer(Int64(item.id)), "title": .string(item.title), "tags": ["blue", "wild", "texas"],
          "price": .number(item.price), "isAvailable": .bool(item.isAvailable),
        ]
      })
  ]
}
