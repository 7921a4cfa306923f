// The known servers with their models, from the console's API.
import { type AnswerOf, api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'

type KnownList = AnswerOf<typeof api.catalogue.known.get>
export type Known = KnownList['known'][number]

export const useKnownList = () => useApi(['catalogue', 'known'], () => api.catalogue.known.get())

/** Empty until loaded. */
export const useKnown = (): readonly Known[] => useKnownList().data?.known ?? []
