// Routes for load balancers and process managers: GET /healthz and GET /readyz, without a key.
import { Type } from '@sinclair/typebox'
import { Elysia, status } from 'elysia'
import { openCalls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { ErrorBody, plainError } from '../../src/http/plain-error.ts'
import { failures } from '../../src/http/schema.ts'

const SURFACE = { surface: 'health', forms: [], render: plainError }

const tags = ['Health']
const StatusBody = <const Word extends string>(word: Word) =>
  Type.Object({ status: Type.Literal(word) }, { description: 'Yes.' })

const ReadyBody = Type.Object(
  {
    status: Type.Literal('ready'),
    files: Type.Optional(
      Type.String({
        description: 'Why images and uploads are refused at the moment. Other calls are taken.',
      }),
    ),
  },
  { description: 'Yes.' },
)

const NotReadyBody = Type.Object(
  { status: Type.Literal('not ready'), reason: Type.String({ description: 'Which check failed.' }) },
  { description: 'No.' },
)

/** `GET /healthz`: 200 while the process answers. `GET /readyz`: 200 while it accepts calls, else 503 with the reason. */
export function health(gateway: Pick<Gateway, 'calls' | 'requests' | 'operations'>) {
  const { notReady, filesTrouble } = gateway.operations
  return new Elysia({ name: 'health' })
    .use(openCalls(gateway, SURFACE))
    .get('/healthz', () => ({ status: 'ok' as const }), {
      response: { 200: StatusBody('ok'), ...failures(ErrorBody, 500) },
      detail: { tags, operationId: 'getHealth', summary: 'Does the process answer?' },
    })
    .get(
      '/readyz',
      () => {
        const reason = notReady()
        if (reason !== undefined) return status(503, { status: 'not ready' as const, reason })
        const files = filesTrouble()
        return { status: 'ready' as const, ...(files === undefined ? {} : { files }) }
      },
      {
        response: { 200: ReadyBody, 503: NotReadyBody, ...failures(ErrorBody, 500) },
        detail: {
          tags,
          operationId: 'getReadiness',
          summary: 'Does the gateway take calls?',
          description: 'For a load balancer: it checks the disk, the database and the catalogue.',
        },
      },
    )
}
