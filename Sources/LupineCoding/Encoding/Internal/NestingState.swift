/// What a whole walk shares: what the encoder was told, and what a call that cannot throw found.
final class NestingState {
  let userInfo: [CodingUserInfoKey: Any]
  var isTooDeep = false

  init(userInfo: [CodingUserInfoKey: Any]) { self.userInfo = userInfo }
}
