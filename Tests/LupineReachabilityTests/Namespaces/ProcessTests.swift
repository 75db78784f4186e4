import Glibc
import LupineFixtures
import LupineReachability
import Testing
import TransportSupport

/// Properties of a whole process, tested with a separate one.
@Suite(.namespaces, .timeLimit(.minutes(2))) struct ProcessTests {
  @Test func `a process without privileges receives changes`() async throws {
    let network = try TestNetwork()
    let probe = try ProbeProcess(network.near, ["unprivileged"])
    var lines = probe.lines.makeAsyncIterator()
    #expect(await lines.next() == "user 65534")
    #expect(await lines.next() == "status reachable over Ethernet or Wi-Fi")
    try network.ip("link", "set", "up0", "down")
    #expect(await lines.next() == "status not reachable")
  }

  @Test func `if netlink is forbidden, the status is unknown with the reason`() async throws {
    let network = try TestNetwork()
    let probe = try ProbeProcess(network.near, ["forbidden"])
    var lines = probe.lines.makeAsyncIterator()
    let reason = "unknown (no netlink: the socket cannot be opened: Operation not permitted)"
    #expect(await lines.next() == "asked \(reason)")
    #expect(await lines.next() == "heard \(reason)")
    #expect(await lines.next() == nil)
  }

  @Test func `without changes it costs one descriptor and no waking`() async throws {
    let network = try TestNetwork()
    let quiet = try TestNetwork()
    // Duplicate address detection and router solicitation of IPv6 would change the network, which wakes the probe.
    try Shell.run("ip", "netns", "exec", network.near, "sh", "-c", "echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6")
    let probe = try ProbeProcess(network.near, ["idle"])
    var lines = probe.lines.makeAsyncIterator()
    #expect(await lines.next()?.hasPrefix("first ") == true)
    let descriptors = try #require(await lines.next())
    #expect(descriptors.wholeMatch(of: /descriptors \["[0-9]+ socket:\[[0-9]+\]"\]/) != nil, "\(descriptors)")
    let work = (0..<200).flatMap { _ in ["link set up0 down", "link set up0 up"] }
    try quiet.ip(batch: work)
    probe.answer()
    #expect(await lines.next() == "begin")
    try quiet.ip(batch: work)
    probe.answer()
    #expect(await lines.next() == "wakes 0")
  }

  @Test(.overEachTransport)
  func `a download over a link that goes down waits, continues and is complete`() async throws {
    let network = try TestNetwork()
    let folder = try TemporaryFolder()
    let server = try NginxProcess(network.far, address: TestNetwork.gateway, folder: folder)
    defer { withExtendedLifetime(server) {} }
    let probe = try ProbeProcess(
      network.near, ["download", server.url, "\(folder.path)/received.bin"] + TestTransport.probeSteps)
    var heard: [String] = []
    var isCut = false
    for await line in probe.lines {
      heard.append(line)
      if line == "waiting" {
        try network.ip("link", "set", "up0", "up")
        try network.ip("route", "add", "default", "via", TestNetwork.gateway)
      } else if line.hasPrefix("received "), !isCut {
        // The server sends the end of the file at least a second later.
        isCut = true
        try network.ip("link", "set", "up0", "down")
      }
    }
    #expect(heard.last == "done", "\(heard)")
    #expect(heard.contains("waiting"))
    #expect(heard.filter { $0.hasPrefix("head ") } == ["head 200 attempt 1", "head 206 attempt 2"])
    #expect(heard.contains("received \(NginxProcess.size)"))
    try Shell.run("cmp", "\(folder.path)/files/big.bin", "\(folder.path)/received.bin")
  }
}
