/// The facts that the runs of a program have printed.
struct ProbeFacts {
  var added = false
  var told: [Int64: String] = [:]
  var finished: Set<String> = []
  var acknowledged: Set<Int64> = []
  var isDone = false
  var faults: [String] = []

  mutating func read(_ lines: [String]) {
    for line in lines {
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      switch words.first {
      case "added": added = true
      case "done": isDone = true
      case "event":
        guard words.count == 4, let number = Int64(words[1]) else { continue }
        if acknowledged.contains(number) { faults.append("\(number) came after its acknowledgement") }
        let fact = "\(words[2]) \(words[3])"
        if let before = told[number], before != fact { faults.append("\(number) was \(before) and is \(fact)") }
        told[number] = fact
        if words[3] == "finished" { finished.insert(words[2]) } else { faults.append(line) }
      case "acknowledged": if words.count == 2, let number = Int64(words[1]) { acknowledged.insert(number) }
      default: faults.append(line)
      }
    }
  }
}
