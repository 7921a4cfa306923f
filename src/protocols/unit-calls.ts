// The verbs of calls that are passed on as they came and priced by units: speech, transcriptions, moderations, rerank.
import type { ReportedUnits } from '../domain/units.ts'
import type { UpstreamTarget } from './facts.ts'
import type { ByteString } from './wire/byte-string.ts'
import type { JsonObject } from './wire/json.ts'

export interface UnitProtocol {
  readonly target: UpstreamTarget
  /** The units that a whole answer, or the last event of a stream, reports; undefined if none. */
  readUnits(answer: JsonObject): ReportedUnits | undefined
  /** A whole answer with what callers expect in it; the very same one where nothing lacks. @param answer what `json` says */
  completed?(json: ByteString, answer: JsonObject): ByteString
}

/** For each kind of these calls, the verbs of a protocol that has it. */
export interface UnitProtocols {
  readonly speech?: UnitProtocol
  readonly transcriptions?: UnitProtocol
  /** Where there are transcriptions, there are translations. */
  readonly translations?: UnitProtocol
  readonly moderations?: UnitProtocol
  readonly rerank?: UnitProtocol
}
