// Type of the answer of a call's route.
import type { AnswerOf, api } from '../../../console/web/app/client.ts'

export type Call = AnswerOf<ReturnType<typeof api.calls>['get']>
