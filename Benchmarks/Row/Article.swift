/// The value that W10 decodes from a small JSON body.
public struct Article: Decodable, Sendable {
  let id: Int
  let title: String
  let tags: [String]
  let price: Double
  let isAvailable: Bool
}
