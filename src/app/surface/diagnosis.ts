// The diagnoses of checks: the subject, its state, and the fix.
import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../../http/schema.ts'

export const Diagnosis = Type.Object({
  check: Type.String({ description: 'what was looked at, such as `disk` or `provider openai#1`' }),
  level: Type.Union([Type.Literal('ok'), Type.Literal('warn'), Type.Literal('fail')]),
  found: Type.String(),
  advice: Nullable(Type.String({ description: 'what to do about it; null where nothing is to be done' })),
})
export type Diagnosis = Static<typeof Diagnosis>
