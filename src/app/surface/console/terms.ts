// The schema of the terms of service that new people accept.
import { type Static, Type } from '@sinclair/typebox'
import { Closed } from '../../../http/schema.ts'

export const TermsView = Closed({
  url: Type.String({ maxLength: 2_048, must: 'the address of the terms' }),
  version: Type.String({ maxLength: 100, must: 'their version, or an empty text' }),
})
export type Terms = Static<typeof TermsView>
