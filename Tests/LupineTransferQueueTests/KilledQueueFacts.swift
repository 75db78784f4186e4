/// The facts that the runs of one queue have printed, which must not contradict each other.
///
/// `KilledRun` of `QueueProbe` lists the lines. A call of which only the beginning was printed may have happened or not.
struct KilledQueueFacts {
  private let count: Int
  private(set) var isAdded = false
  private(set) var isDone = false
  private(set) var faults: [String] = []

  /// The transfer of each number.
  private var transfers: [Int: Int64] = [:]
  private var told: [Int64: String] = [:]
  private var acknowledged: Set<Int64> = []
  /// The last event of each transfer.
  private var endings: [Int64: (event: Int64, kind: String)] = [:]
  /// The transfers of each call that has begun, and of each one that has returned.
  private var begun: [String: Set<Int64>] = [:]
  private var returned: [String: Set<Int64>] = [:]
  /// The transfers that must not run in this process unless they are resumed.
  private var held: Set<Int64> = []

  init(count: Int) { self.count = count }

  /// Reads the lines of one run.
  mutating func read(_ lines: [String]) {
    held = ["pause", "cancel", "remove"].reduce(into: []) { $0.formUnion(returned[$1] ?? []) }
    for line in lines {
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      if !read(words) { faults.append(line) }
    }
    if isDone { checkTransfers() }
  }

  /// Returns whether the line is one that may be.
  private mutating func read(_ words: [String]) -> Bool {
    let numbers = words.map { Int64($0) }
    switch (words.first, words.count) {
    case ("added", 1): isAdded = true
    case ("done", 1): isDone = true
    case ("transfer", 4):
      guard let id = numbers[1], let number = numbers[2] else { return false }
      transfers[Int(number)] = id
      return mayBe(words[3], id)
    case ("calling", 3), ("called", 3):
      guard let id = numbers[2] else { return false }
      call(words[1], id, hasReturned: words[0] == "called")
    case ("request", 2): return numbers[1].flatMap { transfers[Int($0)] }.map { !held.contains($0) } ?? true
    case ("event", 4):
      guard let event = numbers[1], let id = numbers[2] else { return false }
      return tell(event, id, words[3])
    case ("acknowledged", 2):
      guard let event = numbers[1] else { return false }
      acknowledged.insert(event)
    case ("file", 3), ("upload", 3):
      guard let number = numbers[1] else { return false }
      return isRight(Int(number), words[2])
    default: return false
    }
    return true
  }

  /// Whether a transfer may have a state when a process begins.
  private func mayBe(_ state: String, _ id: Int64) -> Bool {
    if has(returned, "remove", id) { return false }
    if has(returned, "cancel", id) { return state == "cancelled" || state == "finished" }
    // A transfer may have ended in the moment of the pause.
    if has(returned, "pause", id) { return ["paused", "finished", "cancelled"].contains(state) }
    return state != "failed"
  }

  private mutating func call(_ name: String, _ id: Int64, hasReturned: Bool) {
    if hasReturned { returned[name, default: []].insert(id) } else { begun[name, default: []].insert(id) }
    guard name == "resume" else { return }
    returned["pause"]?.remove(id)
    if !has(returned, "cancel", id), !has(returned, "remove", id) { held.remove(id) }
  }

  private mutating func tell(_ event: Int64, _ id: Int64, _ kind: String) -> Bool {
    let former = told.updateValue("\(id) \(kind)", forKey: event)
    let ending = endings.updateValue((event, kind), forKey: id)
    let mayBe = kind == "finished" || kind == "cancelled" && has(begun, "cancel", id)
    return mayBe && former ?? "\(id) \(kind)" == "\(id) \(kind)" && ending?.event ?? event == event
      && !acknowledged.contains(event) && !has(returned, "remove", id)
  }

  /// Whether what is left at the end may be left.
  private func isRight(_ number: Int, _ word: String) -> Bool {
    guard let id = transfers[number] else { return false }
    return word == "right" || word == "missing" && endings[id]?.kind != "finished"
  }

  private mutating func checkTransfers() {
    if transfers.count != count { faults.append("\(transfers.count) transfers") }
    for (number, id) in transfers where endings[id] == nil && !has(begun, "remove", id) {
      faults.append("\(number) has not ended")
    }
    for id in returned["cancel"] ?? [] where endings[id] == nil && !has(begun, "remove", id) {
      faults.append("no event of the cancelled transfer \(id)")
    }
  }

  private func has(_ calls: [String: Set<Int64>], _ name: String, _ id: Int64) -> Bool {
    calls[name]?.contains(id) ?? false
  }
}
