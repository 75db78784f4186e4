import CNetlink
import Glibc

/// A network namespace by the path of its file, such as `/run/netns/name`.
struct NetworkNamespace: Sendable, Hashable {
  let path: String

  init(path: String) { self.path = path }

  /// Moves the calling thread into the namespace permanently.
  func enter() throws(NetlinkFailure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw NetlinkFailure("the network namespace \(path) cannot be opened") }
    defer { close(descriptor) }
    guard lupine_enter_network_namespace(descriptor) == 0 else {
      throw NetlinkFailure("the network namespace \(path) cannot be entered")
    }
  }
}
