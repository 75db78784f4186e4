/// One way in which a request is not what a stub expects.
struct Difference {
  let text: String
  /// How far it takes the request from the stub.
  let weight: Int
}
