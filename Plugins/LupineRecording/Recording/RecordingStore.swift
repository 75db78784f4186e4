import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// The files of a recording under way: the journal, the files of bodies, and at the end the cassette.
///
/// The calls may wait for a disk, and do not overlap.
final class RecordingStore: Sendable {
  fileprivate struct State {
    var journal: JournalFile?
    /// The length of the journal.
    var length: Int64 = 0
    /// The header that the journal has.
    var header: Cassette.Header?
    /// The cassette before this recording; `nil` if there was none.
    var old: CassetteContents?
    var bodies: BodyStore?
    var redactor = Redactor()
    /// The exchanges that have ended, by their numbers.
    var entries: [Int: Cassette.Entry] = [:]
    /// The files whose bytes may have placeholders.
    var redactedFiles: Set<String> = []
    var origins: [String: Cassette.Origin] = [:]
  }

  private let path: String
  private let options: RecordingOptions
  private let state = Mutex(State())

  init(_ path: String, _ options: RecordingOptions) {
    self.path = path
    self.options = options
  }

  /// Locks the journal, and takes in the exchanges of a recording whose process was killed.
  ///
  /// - Returns: the store of the bodies.
  func open() throws(LupineError) -> (bodies: BodyStore, old: CassetteContents?) {
    let bodies = try BodyStore(cassette: path)
    let folder = try CassetteFolder(of: path)
    let replacement = CassetteFolder.name(of: CassetteFile.replacement(of: path))
    let isLeft = folder.has(CassetteFolder.name(of: CassetteFile.journal(of: path)))
    let journal = try JournalFile.create(CassetteFile.journal(of: path))
    // A killed recording leaves a complete replacement only together with its journal.
    if !isLeft { folder.remove(replacement) }
    let old = try CassetteFile.contents(of: path, with: journal)
    // The cassette is replaced before the journal is emptied, so that nothing is lost if this process is killed as well.
    if let old { try replaceLeft(journal, old) }
    folder.remove(replacement)
    try journal.truncate(to: 0)
    let last = options.addsMissing ? old?.lastPlaceholder ?? 0 : 0
    state.withLock { state in
      state.journal = journal
      state.old = old
      state.bodies = bodies
      state.redactor = Redactor(options.redaction, last: last)
      state.origins = options.addsMissing ? old?.header.origins ?? [:] : [:]
    }
    return (bodies, old)
  }

  /// Completes what a killed recording has left.
  private func replaceLeft(_ journal: JournalFile, _ old: CassetteContents) throws(LupineError) {
    let folder = try CassetteFolder(of: path)
    if try journal.isEmpty() {
      // The renaming fails if the killed recording had not written a replacement.
      try? folder.rename(CassetteFolder.name(of: CassetteFile.replacement(of: path)), to: CassetteFolder.name(of: path))
    } else if try JournalContents(journal) != nil {
      try replace(CassetteWriter.text(of: old.header, old.blocks.map(\.bytes)), journal)
    }
  }

  /// Replaces the secrets of an exchange that has ended, and writes it to the journal.
  ///
  /// - Parameters:
  ///   - number: its place in the order of first sending.
  ///   - header: the header without origins.
  func add(
    _ raw: RawEntry, number: Int, secretFields: SecretFields, _ header: Cassette.Header, _ sighting: ServerSighting
  ) throws(LupineError) {
    let (journal, redactor, bodies) = state.withLock { ($0.journal, $0.redactor, $0.bodies) }
    guard let journal, let bodies else { return }
    let entry = try place(try raw.redacted(by: redactor, secretFields), raw.file, in: bodies)
    let (position, newHeader) = state.withLock { state in
      state.learn(sighting)
      var header = header
      // A recording that adds to a cassette keeps its date.
      if options.addsMissing, let old = state.old { header.date = old.header.date }
      header.origins = state.origins
      return (state.length, header == state.header ? nil : header)
    }
    var text = newHeader.map { CassetteWriter.text(of: $0) + [UInt8(ascii: "\n")] } ?? []
    text += CassetteWriter.text(of: entry)
    text.append(UInt8(ascii: "\n"))
    try journal.write(text, at: position)
    state.withLock { state in
      state.length = position + Int64(text.count)
      state.header = newHeader ?? state.header
      state.entries[number] = entry
    }
  }

  /// Moves long bodies to files beside the cassette.
  private func place(
    _ entry: Cassette.Entry, _ file: PendingFile?, in bodies: BodyStore
  ) throws(LupineError) -> Cassette.Entry {
    var entry = entry
    if case .inline(let data) = entry.request.body { entry.request.body = try bodies.content(data) }
    if let file {
      entry.response?.body = .file(try bodies.keep(file))
    } else if case .inline(let data) = entry.response?.body {
      entry.response?.body = try bodies.content(data)
    }
    let redacted = file == nil ? entry.bodyFiles : [entry.request.body.file].compactMap(\.self)
    state.withLock { $0.redactedFiles.formUnion(redacted.map(\.name)) }
    return entry
  }

  /// Replaces the cassette.
  ///
  /// - Parameter header: the header without origins.
  func finish(_ header: Cassette.Header) throws(LupineError) {
    let (journal, old, origins) = state.withLock { ($0.journal, $0.old, $0.origins) }
    guard let journal else { return }
    var header = header
    header.origins = origins
    var entries = state.withLock { $0.entries.sorted { $0.key < $1.key }.map(\.value) }
    let blocks: [[UInt8]]
    if options.addsMissing, let old {
      header.date = old.header.date
      header.capabilities.formUnion(old.header.capabilities)
      blocks = old.blocks.map(\.bytes) + entries.map(CassetteWriter.text(of:))
    } else {
      entries = try renumbered(entries)
      blocks = BlockMerge.replacing(old?.blocks ?? [], with: entries)
    }
    try replace(CassetteWriter.text(of: header, blocks), journal)
    state.withLock { $0.journal = nil }
    journal.remove()
    if !options.addsMissing { removeFiles(of: old?.cassette.entries ?? [], but: entries) }
  }

  /// Numbers the placeholders in the order of first sending, in which the same exchanges have the same ones each time.
  private func renumbered(_ entries: [Cassette.Entry]) throws(LupineError) -> [Cassette.Entry] {
    let (bodies, redactedFiles, redactor) = state.withLock { ($0.bodies, $0.redactedFiles, $0.redactor) }
    guard let bodies else { return entries }
    let folder = try CassetteFolder(of: path)
    var entries = entries
    var numbering = redactor.numbering()
    var replaced: [Cassette.Entry] = []
    for index in entries.indices {
      let former = entries[index]
      try numbering.renumber(&entries[index]) { (file, change) throws(LupineError) in
        guard redactedFiles.contains(file.name) else { return file }
        let data = Data(try folder.open(file.name, as: .fileFailed).read(at: 0, count: Int(clamping: file.length)))
        let changed = change(data)
        return changed == data ? file : try bodies.content(changed).file ?? file
      }
      replaced.append(former)
    }
    removeFiles(of: replaced, but: entries)
    return entries
  }

  /// Replaces the cassette, and empties the journal.
  private func replace(_ text: [UInt8], _ journal: JournalFile) throws(LupineError) {
    let folder = try CassetteFolder(of: path)
    let name = CassetteFolder.name(of: path)
    let temporary = CassetteFolder.name(of: CassetteFile.replacement(of: path))
    folder.remove(temporary)
    do throws(LupineError) {
      let file = try folder.create(temporary)
      try file.write(text, at: 0)
      try file.publish()
      try journal.truncate(to: 0)
      try folder.rename(temporary, to: name)
    } catch {
      folder.remove(temporary)
      throw error
    }
    try folder.synchronize()
  }

  /// Removes the files of bodies that no exchange has any more.
  private func removeFiles(of old: [Cassette.Entry], but entries: [Cassette.Entry]) {
    let names = { (entries: [Cassette.Entry]) in Set(entries.flatMap(\.bodyFiles).map(\.name)) }
    let unused = names(old).subtracting(names(entries))
    guard !unused.isEmpty, let folder = try? CassetteFolder(of: path) else { return }
    for name in unused { folder.remove(name) }
  }

  /// Ends the recording; removes the journal of one that failed.
  func close() { state.withLock { $0.journal.take() }?.remove() }
}

extension RecordingStore.State {
  /// Adds the address and the certificates of a server that an exchange reported.
  fileprivate mutating func learn(_ sighting: ServerSighting) {
    guard sighting.server != Cassette.Origin() else { return }
    var known = origins[sighting.origin] ?? Cassette.Origin()
    known.address = sighting.server.address ?? known.address
    if !sighting.server.certificates.isEmpty { known.certificates = sighting.server.certificates }
    origins[sighting.origin] = known
  }
}

extension CassetteFolder {
  /// Whether there is a regular file of this name.
  fileprivate func has(_ name: String) -> Bool { (try? open(name, as: .fileFailed)) != nil }
}

extension RawEntry {
  /// Returns the exchange with placeholders; the body in a file is searched for secrets.
  fileprivate func redacted(by redactor: Redactor, _ secretFields: SecretFields) throws(LupineError) -> Cassette.Entry {
    var raw = entry
    if let file {
      raw.response?.body = .file(Cassette.FileContent(name: "", length: file.length, sha256: Data()))
    }
    if let unknownCoding, raw.response?.body != Cassette.Content.none {
      try redactor.requireHarmless(coding: unknownCoding, of: "the response's body")
    }
    return try redactor.redacted(raw, secretFields: secretFields) { (_, use) throws(LupineError) in
      try file?.forEachPiece { (piece) throws(LupineError) in piece.withUnsafeBytes { use($0) } }
    }
  }
}

extension CassetteContents {
  /// The highest number of a placeholder.
  fileprivate var lastPlaceholder: Int {
    blocks.reduce(0) { highest, block in
      block.bytes.indices.reduce(highest) { max($0, Placeholder.read(block.bytes[...], at: $1)?.number ?? 0) }
    }
  }
}
