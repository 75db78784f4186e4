import CLibcurl
import Glibc
import LupineCore

extension Exchange {
  /// Notes why no socket could be had for the exchange's connection.
  func hasNoSocket(_ code: Int32) {
    guard code == EMFILE || code == ENFILE else { return }
    let rare = rareState()
    rare.lacksDescriptor = code
  }

  /// Begins anew, once, where no descriptor was left for the connection and an idle one could be closed.
  func beginsAnewWithRoom() -> Bool {
    guard let rare, rare.lacksDescriptor != nil, failure == nil, ports == nil, let easy else { return false }
    guard !rare.hasMadeRoom, loop.makeRoom(in: multi) else { return false }
    rare.hasMadeRoom = true
    let code = rare.lacksDescriptor
    rare.lacksDescriptor = nil
    do throws(LupineError) {
      if try beginAnew(easy, replacesIdle: true) { return true }
      rare.lacksDescriptor = code
      return false
    } catch {
      failure = error
      return false
    }
  }

  /// What is wrong where no descriptor was left.
  var descriptorError: LupineError? {
    guard ports == nil, let code = rare?.lacksDescriptor else { return nil }
    return SystemFailure.error("A socket cannot be made", code: code)
  }
}
