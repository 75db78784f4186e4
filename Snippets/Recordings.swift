// Recordings: a cassette that a program records and plays.

import Lupine
import LupineRecording
// snippet.hide
import Foundation
import SnippetSupport

let folder = NSTemporaryDirectory() + "lupine-recordings-" + UUID().uuidString
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
defer { try? FileManager.default.removeItem(atPath: folder) }
let path = "\(folder)/get.cassette"
guard let server = Stage.httpbin else {
  print("httpbin is not running, so there is nothing to record")
  exit(0)
}
// snippet.show

let recorder = RecordingTransport(around: .native, to: path)
let recorded = try Session.Builder().transport(recorder).baseURL(server).build()
print(try await recorded.request("get").validate().serializingData().value.count)
try await recorder.recording.finish()

let replay = try await ReplayTransport(contentsOf: path)
let replayed = try Session.Builder().transport(replay).baseURL(server).build()
print(try await replayed.request("get").validate().serializingData().value.count)
