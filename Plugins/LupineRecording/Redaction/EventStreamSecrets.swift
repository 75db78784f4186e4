import LupineSupport

/// Finds the secrets in a stream of Server-Sent Events.
enum EventStreamSecrets {
  static func find(_ rules: SecretRules, in text: MappedBytes) -> [FoundSecret] {
    var found: [FoundSecret] = []
    var event = EventData()
    for line in lines(of: text) {
      if let value = data(of: line) {
        event.append(value)
      } else if line.isEmpty {
        found += event.secrets(rules)
        event = EventData()
      } else {
        found += rules.secretsInURLs(line)
      }
    }
    return found + event.secrets(rules)
  }

  private static func lines(of text: MappedBytes) -> [MappedBytes] {
    var lines: [MappedBytes] = []
    var (start, position) = (text.start, text.start)
    while position < text.end {
      let byte = text[position]
      position += 1
      guard byte == 0x0A || byte == 0x0D else { continue }
      lines.append(text.part(start..<(position - 1)))
      if byte == 0x0D, position < text.end, text[position] == 0x0A { position += 1 }
      start = position
    }
    return lines + [text.part(start..<text.end)]
  }

  private static func data(of line: MappedBytes) -> MappedBytes? {
    guard line.bytes.starts(with: "data:".utf8) else { return nil }
    let start = line.start + 5
    return line.part((start < line.end && line[start] == .space ? start + 1 : start)..<line.end)
  }
}

/// The lines of data of one event, joined as a program receives them.
private struct EventData {
  private var bytes: [UInt8] = []
  private var places: [Int] = []
  private var end = 0

  mutating func append(_ line: MappedBytes) {
    if !places.isEmpty {
      bytes.append(0x0A)
      places.append(end)
    }
    for position in line.range {
      bytes.append(line[position])
      places.append(line.part(position..<position).place.lowerBound)
    }
    end = line.place.upperBound
    if line.isEmpty, places.isEmpty {
      bytes.append(0x0A)
      places.append(end)
    }
  }

  func secrets(_ rules: SecretRules) -> [FoundSecret] {
    if bytes.isEmpty { return [] }
    let data = MappedBytes(bytes, places: places + [end])
    return JSONSecrets.isLikely(data) ? JSONSecrets.find(rules, in: data) : rules.secretsInURLs(data)
  }
}
