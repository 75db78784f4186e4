import Glibc
import LupineFixtures
@testable import LupineReachability
import Synchronization
import Testing

/// Two network namespaces of a test's own, `near` and `far`, joined by a pair of links; they go with the test.
///
/// `near` has 10.99.0.2 on `up0` and a default route over 10.99.0.1, which is `far`'s on `up1`.
final class TestNetwork: Sendable {
  static let gateway = "10.99.0.1"
  private static let number = Atomic<Int>(0)

  let near: String
  let far: String

  /// The network of `near` as the kernel tells it.
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

  /// Joins the namespaces by one more pair of links, and sets both up.
  func connect(_ near: String, _ far: String) throws {
    try Shell.run(
      "ip", "link", "add", near, "netns", self.near, "type", "veth", "peer", "name", far, "netns", self.far)
    try ip("link", "set", near, "up")
    try farIP("link", "set", far, "up")
  }

  /// Changes `near`.
  func ip(_ arguments: String...) throws { try Shell.run(["ip", "-n", near] + arguments) }

  /// Changes `far`.
  func farIP(_ arguments: String...) throws { try Shell.run(["ip", "-n", far] + arguments) }

  /// Makes many changes of `near` at once.
  func ip(batch lines: [String]) throws {
    let folder = try TemporaryFolder()
    try folder.write(lines.joined(separator: "\n") + "\n", to: "batch")
    try Shell.run("ip", "-n", near, "-batch", "\(folder.path)/batch")
  }
}

extension TestNetwork {
  /// Whether network namespaces can be made here, found out by making one.
  private static let isPermitted: Bool = {
    let name = "lupine-\(getpid())-probe"
    guard (try? Shell.run("ip", "netns", "add", name)) != nil else { return false }
    return (try? Shell.run("ip", "netns", "delete", name)) != nil
  }()

  /// Where the peers are required, a test that cannot have its namespaces must fail rather than be skipped.
  static var isExpected: Bool { getenv("LUPINE_REQUIRE_PEERS") != nil && geteuid() == 0 || isPermitted }
}

extension Trait where Self == ConditionTrait {
  /// Skips the test where network namespaces are not allowed.
  static var namespaces: Self {
    .enabled(if: TestNetwork.isExpected, "`ip netns add` is not permitted here: run as root, with iproute2 installed")
  }
}
