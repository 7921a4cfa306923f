// Content of images and files, which is private to its account: the operator gets it on request, and that is logged.
import { Type } from '@sinclair/typebox'
import type { Viewer } from '../../../src/access/viewer.ts'
import { type Asking, byOf } from '../../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { ActionContext } from '../../../src/domain/actions.ts'
import { permissionDenied } from '../../../src/domain/errors.ts'
import type { Identified } from '../../../src/http/answers.ts'

/** The operator's request for the content. */
export const CONTENT = {
  content: Type.Optional(Type.Literal('shown', { must: '"shown"' })),
}

export interface ContentRequest {
  content?: 'shown' | undefined
}

/** True where prompts, names and pictures are visible to the viewer, not only rows. */
export const mayShow = (viewer: Viewer, { content }: ContentRequest): boolean =>
  viewer.role !== 'operator' || content === 'shown'

/** For what is nothing but content. @throws GatewayError permission_denied for the operator without that request */
export function requireVisible(viewer: Viewer, request: ContentRequest): void {
  if (mayShow(viewer, request)) return
  throw permissionDenied(
    'The images of an account are private to it. Ask for them with content=shown, which is logged.',
    { code: 'content_hidden', param: 'content' },
  )
}

/** A request of the console with its viewer. */
export interface ViewerRequest {
  viewer: Viewer
  origin: Identified
}

/** The operator who deletes an account's image or file, for the audit log; undefined for the account itself. */
export const byOperator = (gateway: Pick<Gateway, 'calls'>, viewing: Asking): ActionContext | undefined =>
  viewing.viewer.role === 'operator' ? byOf(gateway, viewing) : undefined

/** Leaves a line in the log where the operator looks at what belongs to an account. @param what such as "images" */
export function logLook(
  { calls: { log } }: Pick<Gateway, 'calls'>,
  { viewer, origin: { request_id } }: ViewerRequest,
  account: string | null,
  what: string,
): void {
  if (viewer.role !== 'operator') return
  const session = viewer.session_id
  log.info({ request_id, session, account, what }, 'the operator looked at what belongs to an account')
}
