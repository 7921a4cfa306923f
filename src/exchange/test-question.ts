// What a test of a route asks of a kind of model.
import type { Protocol } from '../protocols/protocol.ts'
import type { Attempt } from '../upstream/routes.ts'
import type { UpstreamRequest } from '../upstream/transport.ts'

export type Asked = Pick<Attempt, 'provider' | 'model' | 'api_key'>

/** How a kind of model is asked, and what its answer says. @throws UpstreamFault for what is no answer */
export interface Question {
  timeout_ms: number
  write(protocol: Protocol, asked: Asked): UpstreamRequest
  read(protocol: Protocol, answer: string, content_type: string | null): string
  readFailure?(protocol: Protocol): Protocol['readFailure'] | undefined
}
