import Glibc
import LupineFixtures
@testable import LupineReachability
import Synchronization
import Testing

/// The network of one test: the namespaces `near` and `far`, connected by a veth pair.
///
/// `near` has the address 10.99.0.2 on `up0`, and a default route over 10.99.0.1, which `far` has on `up1`. The last
/// reference deletes both namespaces.
final class TestNetwork: Sendable {
  static let gateway = "10.99.0.1"
  private static let number = Atomic<Int>(0)

  let near: String
  let far: String

  /// The network of `near`, as the kernel reports it.
  var source: KernelPath { KernelPath(namespace: NetworkNamespace(path: "/run/netns/\(near)")) }

  init(hasAddresses: Bool = true) throws {
    let name = "lupine-\(getpid())-\(Self.number.add(1, ordering: .relaxed).newValue)"
    near = "\(name)-n"
    far = "\(name)-f"
    try Shell.run("ip", "netns", "add", near)
    try Shell.run("ip", "netns", "add", far)
    try connect("up0", "up1")
    guard hasAddresses else { return }
    try ip("address", "add", "10.99.0.2/24", "dev", "up0")
    try farIP("address", "add", "\(Self.gateway)/24", "dev", "up1")
    try ip("route", "add", "default", "via", Self.gateway)
  }

  deinit {
    for name in [near, far] { _ = try? Shell.run("ip", "netns", "delete", name) }
  }

  /// Connects the namespaces by a further veth pair, and activates both links.
  func connect(_ near: String, _ far: String) throws {
    try Shell.run(
      "ip", "link", "add", near, "netns", self.near, "type", "veth", "peer", "name", far, "netns", self.far)
    try ip("link", "set", near, "up")
    try farIP("link", "set", far, "up")
  }

  /// Runs a command of `ip` in `near`.
  func ip(_ arguments: String...) throws { try Shell.run(["ip", "-n", near] + arguments) }

  /// Runs a command of `ip` in `far`.
  func farIP(_ arguments: String...) throws { try Shell.run(["ip", "-n", far] + arguments) }

  /// Runs many commands of `ip` in `near` with one process.
  func ip(batch lines: [String]) throws {
    let folder = try TemporaryFolder()
    try folder.write(lines.joined(separator: "\n") + "\n", to: "batch")
    try Shell.run("ip", "-n", near, "-batch", "\(folder.path)/batch")
  }
}

extension TestNetwork {
  /// Whether the process may make network namespaces, which a trial shows.
  private static let isPermitted: Bool = {
    let name = "lupine-\(getpid())-probe"
    guard (try? Shell.run("ip", "netns", "add", name)) != nil else { return false }
    return (try? Shell.run("ip", "netns", "delete", name)) != nil
  }()

  /// Whether to run the tests; if the peers are required, a test without namespaces fails and is not skipped.
  static var isExpected: Bool { getenv("LUPINE_REQUIRE_PEERS") != nil && geteuid() == 0 || isPermitted }
}

extension Trait where Self == ConditionTrait {
  /// Skips the test if network namespaces are not permitted.
  static var namespaces: Self {
    .enabled(if: TestNetwork.isExpected, "`ip netns add` is not permitted here: run as root, with iproute2 installed")
  }
}
