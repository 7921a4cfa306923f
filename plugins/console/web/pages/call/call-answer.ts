// One call as its route answers it.
import type { api } from '../../app/client.ts'

export type Call = NonNullable<Awaited<ReturnType<ReturnType<typeof api.calls>['get']>>['data']>
