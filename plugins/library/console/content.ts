// What images show, and to whom: their account at once, the operator only where they ask for it, which is logged.
import { Type } from '@sinclair/typebox'
import type { Viewer } from '../../../src/access/viewer.ts'
import { type Asking, byOf } from '../../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { By } from '../../../src/domain/actions.ts'
import { permissionDenied } from '../../../src/domain/errors.ts'
import type { Identified } from '../../../src/http/answers.ts'

/** The operator's wish to see what an account's images show. */
export const CONTENT = {
  content: Type.Optional(Type.Literal('shown', { must: '"shown"' })),
}

export interface Asked {
  content?: 'shown' | undefined
}

/** Whether a viewer is shown prompts, names and pictures, and not only that there are some. */
export const isShown = (viewer: Viewer, { content }: Asked): boolean =>
  viewer.role !== 'operator' || content === 'shown'

/**
 * For what is nothing but content.
 *
 * @throws GatewayError permission_denied for the operator where they did not ask for it
 */
export function requireShown(viewer: Viewer, asked: Asked): void {
  if (isShown(viewer, asked)) return
  throw permissionDenied(
    'The images of an account are private to it. Ask for them with content=shown, which is logged.',
    { code: 'content_hidden', param: 'content' },
  )
}

/** A request of the console, and whose it is. */
export interface Looking {
  viewer: Viewer
  origin: Identified
}

/** Who deletes what belongs to an account, where that is not the account itself. */
export const byOperator = (gateway: Pick<Gateway, 'exchange'>, looking: Asking): By | undefined =>
  looking.viewer.role === 'operator' ? byOf(gateway, looking) : undefined

/** Leaves a line in the log where the operator looks at what belongs to an account. @param what such as "images" */
export function logLook(
  { exchange: { log } }: Pick<Gateway, 'exchange'>,
  { viewer, origin: { request_id } }: Looking,
  account: string | null,
  what: string,
): void {
  if (viewer.role !== 'operator') return
  const session = viewer.session_id
  log.info({ request_id, session, account, what }, 'the operator looked at what belongs to an account')
}
