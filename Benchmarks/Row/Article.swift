/// What the small JSON body of W10 is decoded into.
public struct Article: Decodable, Sendable {
  let id: Int
  let title: String
  let tags: [String]
  let price: Double
  let isAvailable: Bool
}
