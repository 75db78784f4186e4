import FoundationEssentials
import Testing

@testable import LupineNative

/// The number of processors, from the files of the kernel in a folder of the test.
@Suite struct ProcessorCountTests {
  struct Machine: CustomTestStringConvertible {
    let testDescription: String
    let files: [String: String]
    /// The number of processors of a process whose affinity mask has eight.
    let count: Int

    init(_ title: String, _ count: Int, _ files: [String: String]) {
      testDescription = title
      self.files = files
      self.count = count
    }
  }

  static let machines = [
    Machine("no control groups", 8, [:]),
    Machine("version 2, no limit", 8, ["proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "max 100000\n"]),
    Machine(
      "version 2, two processors", 2, ["proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "200000 100000\n"]),
    Machine("version 2, a part", 3, ["proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "250000 100000\n"]),
    Machine(
      "version 2, less than one", 1, ["proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "10000 100000\n"]),
    Machine(
      "version 2, more than the mask", 8,
      ["proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "1600000 100000\n"]),
    Machine(
      "version 2, a group above", 3,
      [
        "proc/self/cgroup": "0::/a/b/c\n", "sys/fs/cgroup/a/cpu.max": "300000 100000\n",
        "sys/fs/cgroup/a/b/c/cpu.max": "500000 100000\n",
      ]),
    Machine(
      "version 2, in a container", 4, ["proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "400000 100000\n"]),
    Machine(
      "version 2, a group outside of the container", 4,
      ["proc/self/cgroup": "0::/../../b\n", "sys/fs/cgroup/cpu.max": "400000 100000\n"]),
    Machine(
      "version 1, two processors", 2,
      [
        "proc/self/cgroup": "5:memory:/b\n4:cpu,cpuacct:/a\n",
        "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "200000\n", "sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000\n",
      ]),
    Machine(
      "version 1, no limit", 8,
      [
        "proc/self/cgroup": "4:cpu,cpuacct:/a\n",
        "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000\n",
      ]),
    Machine(
      "version 1, in a container", 5,
      [
        "proc/self/cgroup": "4:cpuacct,cpu:/docker/0123\n",
        "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "500000\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
      ]),
    Machine(
      "both versions", 2,
      [
        "proc/self/cgroup": "4:cpu:/a\n0::/b\n",
        "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "300000\n", "sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000\n",
        "sys/fs/cgroup/b/cpu.max": "200000 100000\n",
      ]),
    Machine(
      "texts that are no limits", 8,
      [
        "proc/self/cgroup": "nonsense\n0::/a\n4:cpu:/b\n", "sys/fs/cgroup/a/cpu.max": "200000\n",
        "sys/fs/cgroup/cpu.max": "200000 0\n", "sys/fs/cgroup/cpu/b/cpu.cfs_quota_us": "x\n",
        "sys/fs/cgroup/cpu/b/cpu.cfs_period_us": "100000\n",
      ]),
  ]

  @Test(arguments: machines) func `the quota of a control group counts as processors`(machine: Machine) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "lupine-groups-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    for (path, text) in machine.files {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    #expect(ProcessorCount.count(allowed: 8, groups: ControlGroups(root: root.path)) == machine.count)
  }

  @Test func `the affinity mask has a processor`() { #expect(ProcessorCount.allowed >= 1) }

  @Test func `a transport has a loop for each four processors, and at least one`() {
    let count = ProcessorCount.count(allowed: ProcessorCount.allowed, groups: ControlGroups())
    #expect(NativeTransport.Configuration().loops == max(1, count / 4))
  }
}
