import LupineFixtures
import Testing

@testable import LupineReachability

@Suite struct InterfaceClassifierTests {
  private let folder: TemporaryFolder
  private var classifier: InterfaceClassifier { InterfaceClassifier(folder: folder.path) }

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [
    ("DEVTYPE=wwan\n", NetworkInterface.Kind.cellular), ("INTERFACE=net0\nDEVTYPE=wlan\n", .wifi),
    ("DEVTYPE=bridge\n", .bridge), ("INTERFACE=net0\n", .ethernet), ("", .ethernet),
  ])
  func `the device type of the kernel decides the kind`(event: String, kind: NetworkInterface.Kind) throws {
    try folder.write("3\n", to: "net0/ifindex")
    try folder.write(event, to: "net0/uevent")
    #expect(classifier.kind(of: LinkFacts(index: 3, name: "net0")) == kind)
  }

  @Test(arguments: [
    ("wireless/status", NetworkInterface.Kind.wifi), ("phy80211/name", .wifi), ("bridge/bridge_id", .bridge),
  ])
  func `a folder beside the device type decides the kind`(file: String, kind: NetworkInterface.Kind) throws {
    try folder.write("3\n", to: "net0/ifindex")
    try folder.write("", to: "net0/\(file)")
    #expect(classifier.kind(of: LinkFacts(index: 3, name: "net0")) == kind)
  }

  @Test func `a device without hardware is virtual`() throws {
    try folder.write("3\n", to: "devices/virtual/net0/ifindex")
    try Shell.run("ln", "-s", "\(folder.path)/devices/virtual/net0", "\(folder.path)/net0")
    #expect(classifier.kind(of: LinkFacts(index: 3, name: "net0")) == .virtual)
  }

  @Test func `files of another interface of the same name are not believed`() throws {
    try folder.write("4\n", to: "net0/ifindex")
    #expect(classifier.kind(of: LinkFacts(index: 3, name: "net0")).isUnknown)
  }

  @Test(arguments: ["net0", "..", ".", "a/../b", "", "\u{0}"])
  func `a name without files is unknown`(name: String) {
    #expect(classifier.kind(of: LinkFacts(index: 3, name: name)).isUnknown)
  }

  @Test(arguments: [
    ("veth", NetworkInterface.Kind.virtual), ("bridge", .bridge), ("wwan", .cellular), ("wireguard", .virtual),
  ])
  func `without files the name of the driver decides the kind`(driver: String, kind: NetworkInterface.Kind) {
    #expect(classifier.kind(of: LinkFacts(index: 3, name: "net0", driver: driver)) == kind)
  }

  @Test func `the machine itself needs no files`() {
    #expect(classifier.kind(of: LinkFacts(index: 1, name: "lo", hardware: 772)) == .loopback)
  }
}
