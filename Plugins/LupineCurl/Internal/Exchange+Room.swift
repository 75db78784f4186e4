import CLibcurl
import Glibc
import LupineCore

extension Exchange {
  /// Records that the system has no descriptor for the exchange's connection (EMFILE or ENFILE).
  func hasNoSocket(_ code: Int32) {
    guard code == EMFILE || code == ENFILE else { return }
    let rare = rareState()
    rare.lacksDescriptor = code
  }

  /// Restarts the transfer once, if no descriptor was available and an idle connection can be closed.
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

  /// The error for a missing descriptor; nil if there was no such failure.
  var descriptorError: LupineError? {
    guard ports == nil, let code = rare?.lacksDescriptor else { return nil }
    return SystemFailure.error("A socket cannot be made", code: code)
  }
}
