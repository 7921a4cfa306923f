// The functions of calls that pass through unchanged and are priced by units: speech, transcriptions, moderations, rerank.
import type { ReportedUnits } from '../domain/units.ts'
import type { UpstreamTarget } from './facts.ts'
import type { ByteString } from './wire/byte-string.ts'
import type { JsonObject } from './wire/json.ts'

export interface UnitProtocol {
  readonly target: UpstreamTarget
  /** The units that an answer, or the last event of a stream, reports; undefined if none. */
  readUnits(answer: JsonObject): ReportedUnits | undefined
  /** Adds fields to an answer that callers expect; returns the same bytes if none is missing. @param answer `json`, parsed */
  completed?(json: ByteString, answer: JsonObject): ByteString
}

/** The kinds of these calls that a protocol has. */
export interface UnitProtocols {
  readonly speech?: UnitProtocol
  readonly transcriptions?: UnitProtocol
  /** Present if `transcriptions` is. */
  readonly translations?: UnitProtocol
  readonly moderations?: UnitProtocol
  readonly rerank?: UnitProtocol
}
