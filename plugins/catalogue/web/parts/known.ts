// The known servers, with the models that they list, as the server of the console has them.
import { type AnswerOf, api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'

type KnownList = AnswerOf<typeof api.catalogue.known.get>
export type Known = KnownList['known'][number]

export const useKnownList = () => useApi(['catalogue', 'known'], () => api.catalogue.known.get())

/** Empty until they are there. */
export const useKnown = (): readonly Known[] => useKnownList().data?.known ?? []
