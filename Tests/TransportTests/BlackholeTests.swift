import Glibc
import LupineFixtures
import Testing
import TransportSupport

/// A host with silent addresses, in a network namespace of its own (RFC 8305 section 5).
///
/// Every packet to a silent address disappears: it leaves through a veth device whose other end has no address.
@Suite(.overEachTransport, .timeLimit(.minutes(1))) struct BlackholeTests {
  private static let hole = "fd00:99::2"
  private static let ipv4Hole = "10.99.0.2"

  private static let script = """
    ip link set lo up &&
    ip link add hole type veth peer name end && ip link set hole up && ip link set end up &&
    ip -6 address add fd00:99::1/64 dev hole nodad &&
    ip -6 neighbour add \(hole) lladdr 02:00:00:00:00:02 dev hole &&
    ip address add 10.99.0.1/24 dev hole && ip neighbour add \(ipv4Hole) lladdr 02:00:00:00:00:02 dev hole && exec "$@"
    """

  private static let isPermitted =
    (try? Program.run("ConnectionProbe", ["", "lookups"], under: wrapper)) == ["0 lookups"]

  private static let wrapper = ["timeout", "50", "unshare", "--net", "sh", "-c", script, "sh"]

  private static let condition = ConditionTrait.enabled(
    if: isPermitted || Peers.areRequired && geteuid() == 0, "network namespaces are not permitted here")

  /// `timeout` would end the probe before the first attempt ends.
  ///
  /// The attempt would wait for the connect timeout of an hour, or for that of the kernel, which is two minutes.
  @Test(
    condition,
    arguments: [
      "\(hole) 127.0.0.1", "127.0.0.1 \(hole)", "\(ipv4Hole) 127.0.0.1", "\(ipv4Hole) \(hole) 127.0.0.1",
      "\(ipv4Hole) 10.99.0.3 127.0.0.1",
    ])
  func `a host whose first addresses are silent is reached before their attempts end`(addresses: String) throws {
    let lines = try Program.run(
      "ConnectionProbe",
      ["http://both.example/"] + TestTransport.probeSteps
        + ["connect 3600", "serve both.example", "resolve \(addresses)", "get", "get"],
      under: Self.wrapper)
    #expect(lines == ["new", "used again"])
  }
}
