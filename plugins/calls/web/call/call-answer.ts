// One call as its route answers it.
import type { AnswerOf, api } from '../../../console/web/app/client.ts'

export type Call = AnswerOf<ReturnType<typeof api.calls>['get']>
