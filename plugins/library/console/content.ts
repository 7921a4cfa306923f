// Content of images and files for pages: private to its account; the operator gets it on request, which is logged.
import { Type } from '@sinclair/typebox'
import type { Context } from 'elysia'
import { may, requireRight } from '../../../src/access/rights.ts'
import type { Viewer } from '../../../src/access/viewer.ts'
import { byOf, type ConsoleParts, type Requester } from '../../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { ActionContext } from '../../../src/domain/actions.ts'
import { notFound, permissionDenied } from '../../../src/domain/errors.ts'
import type { ImageMime } from '../../../src/domain/image-formats.ts'
import type { WholeBytes } from '../../../src/domain/stored-bytes.ts'
import type { Identified } from '../../../src/http/answers.ts'
import { imageAnswer } from '../../../src/http/image-answer.ts'
import { THUMBNAIL_MIME, type Thumbnails } from '../thumbnails.ts'

/** The content at an address never changes, so that browsers may keep it. */
const CACHE_CONTROL = 'private, max-age=86400, immutable'

export interface Picture {
  /** Unique for its content. */
  name: string
  mime: ImageMime
  filename: string
  open: () => Promise<WholeBytes | undefined>
}

type Set = Pick<Context['set'], 'headers'>

/** Lets the browser keep the answer for this session: another one, with another cookie, does not get it. */
function keepInBrowser({ headers }: Set): void {
  headers['cache-control'] = CACHE_CONTROL
  headers.vary = 'Cookie'
}

/** @throws GatewayError not_found if its file is missing */
export async function wholePicture(set: Set, { mime, filename, open }: Picture): Promise<Response> {
  keepInBrowser(set)
  const file = await open()
  if (!file) throw missingFile()
  return imageAnswer({ body: file.body(), mime, filename, cache_control: CACHE_CONTROL })
}

/** @throws GatewayError not_found if its file is missing */
export async function thumbnailOf(
  set: Set,
  thumbnails: Thumbnails,
  { name, filename, open }: Picture,
): Promise<Response> {
  keepInBrowser(set)
  const small = await thumbnails.of(name, open)
  if (!small) throw missingFile()
  return imageAnswer({
    body: new Blob([small]),
    mime: THUMBNAIL_MIME,
    filename: `${filename}.webp`,
    cache_control: CACHE_CONTROL,
  })
}

const missingFile = () => notFound('The file of this image is missing. Retry later, or delete the image.')

/** The parts of the gateway that the pages of images and files use. */
export type LibraryParts = ConsoleParts & Pick<Gateway, 'content'>

/** The operator's request for the content. */
export const CONTENT = {
  content: Type.Optional(Type.Literal('shown', { must: '"shown"' })),
}

export interface ContentRequest {
  content?: 'shown' | undefined
}

/**
 * Whether prompts, names and pictures are visible to the viewer, not only rows.
 *
 * @throws GatewayError permission_denied for an auditor who requests them
 */
export function mayShow(viewer: Viewer, { content }: ContentRequest): boolean {
  if (content === 'shown') requireRight(viewer, 'see_contents')
  return viewer.side !== 'operator' || content === 'shown'
}

/** Returns a file's key for the viewer. Its end is the file's name, which is hidden from viewers who may not see contents. */
export const keyForViewer = (viewer: Viewer, key: string): string =>
  may(viewer, 'see_contents') ? key : key.replace(/_.*$/, '_…')

/** For routes that return only content. @throws GatewayError permission_denied for staff without `content=shown`, and as `mayShow` */
export function requireVisible(viewer: Viewer, request: ContentRequest): void {
  if (mayShow(viewer, request)) return
  requireRight(viewer, 'see_contents')
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
export const byOperator = (gateway: Pick<Gateway, 'calls'>, viewing: Requester): ActionContext | undefined =>
  viewing.viewer.side === 'operator' ? byOf(gateway, viewing) : undefined

/** Logs that the operator views private content of an account. @param what such as "images" */
export function logPrivateView(
  { calls: { log } }: Pick<Gateway, 'calls'>,
  { viewer, origin: { request_id } }: ViewerRequest,
  account: string | null,
  what: string,
): void {
  if (viewer.side !== 'operator') return
  const session = viewer.session_id
  log.info({ request_id, session, account, what }, 'operator viewed private content of an account')
}
