import LupineCurl
import LupineNative
import LupineResumableUpload
import LupineSession
import Row

/// The row of Lupine that sends a file with a resumable upload, over libcurl or with `LUPINE_TRANSPORT=native`.
///
/// The server of the workload does not support resumption, so the upload is one request, as without `resumable`.
@main enum ResumableRow {
  static func main() {
    Work.run { work in
      let isNative = Work.variable("LUPINE_TRANSPORT") == "native"
      let builder = isNative ? Session.Builder().transport(.native) : Session.Builder().transport(.curl)
      let session = try builder.build()
      try await work.measure {
        let upload = session.upload(.file(work.path), to: work.url, method: .put).validate().resumable()
        _ = try await upload.serializingData().value
      }
    }
  }
}
