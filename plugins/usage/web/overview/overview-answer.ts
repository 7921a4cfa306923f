// The overview as its route answers it.
import type { AnswerOf, api } from '../../../console/web/app/client.ts'

export type Overview = AnswerOf<typeof api.overview.get>
