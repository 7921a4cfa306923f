// The report of a check-up, which is the output of `tollgate doctor --json`.
import { type Static, Type } from '@sinclair/typebox'
import { Diagnosis } from '../../src/app/checks/check.ts'

export const DoctorReport = Type.Object({
  healthy: Type.Boolean({ description: 'whether nothing failed; warnings may be there all the same' }),
  findings: Type.Array(Diagnosis),
})
export type DoctorReport = Static<typeof DoctorReport>
