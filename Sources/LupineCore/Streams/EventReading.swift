/// One reading of a stream of events; letting go of it ends the request.
final class EventReading: Sendable {
  let course: EventCourse

  init(_ course: EventCourse) { self.course = course }

  deinit { course.leave() }
}
