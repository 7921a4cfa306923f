// The overview as its route answers it.
import type { api } from '../../app/client.ts'

export type Overview = NonNullable<Awaited<ReturnType<typeof api.overview.get>>['data']>
