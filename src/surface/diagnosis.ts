// The doctor as plugins see it: what it looked at, what it found, and what to do.
import { type Static, Type } from '@sinclair/typebox'
import type { Catalogue } from '../domain/catalogue.ts'
import { Nullable } from '../http/schema.ts'

export const Diagnosis = Type.Object({
  check: Type.String({ description: 'what was looked at, such as `disk` or `provider openai#1`' }),
  level: Type.Union([Type.Literal('ok'), Type.Literal('warn'), Type.Literal('fail')]),
  found: Type.String(),
  advice: Nullable(Type.String({ description: 'what to do about it; null where nothing is to be done' })),
})
export type Diagnosis = Static<typeof Diagnosis>

/** What `tollgate doctor --json` says. */
export const DoctorReport = Type.Object({
  healthy: Type.Boolean({ description: 'whether nothing failed; warnings may be there all the same' }),
  findings: Type.Array(Diagnosis),
})
export type DoctorReport = Static<typeof DoctorReport>

export interface Doctor {
  /**
   * Examines the gateway beside the calls, in a process of its own. Who asks while it does so gets the same report.
   *
   * @throws GatewayError internal with the reason if there is no report
   */
  examine(): Promise<DoctorReport>
}

/** Checks of the doctor that are quick enough for the process of the gateway. */
export interface QuickChecks {
  /** Room on the disk of the data folder. */
  disk(catalogue: Pick<Catalogue, 'storage'>): Promise<Diagnosis[]>
  /** The certificate and its key. */
  certificate(catalogue: Catalogue): Promise<Diagnosis[]>
}
