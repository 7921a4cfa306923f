// Page of one image: the picture, its details, its lineage and actions.
import { Download, Trash2, WandSparkles } from 'lucide-react'
import { useLocation } from 'wouter'
import { api, send } from '../../console/web/app/client.ts'
import type { PageProps } from '../../console/web/app/page-entry.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { bytes } from '../../console/web/parts/amounts.ts'
import { ButtonLink } from '../../console/web/parts/button.tsx'
import { ConfirmButton } from '../../console/web/parts/dialog-buttons.tsx'
import { Facts } from '../../console/web/parts/facts.tsx'
import { Id } from '../../console/web/parts/id.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Page, Section } from '../../console/web/parts/page.tsx'
import { asReference, imagePicture } from '../../console/web/parts/pictures.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import { HiddenPictures, useContents } from './hidden-pictures.tsx'
import { Lineage } from './lineage.tsx'
import { type ImageDetails, KIND_WORDS, sizeOf } from './models.ts'

export default function Image({ params }: PageProps) {
  const { id = '' } = params
  const { side } = useViewer()
  const is_operator = side === 'operator'
  const { is_visible, content, show } = useContents(is_operator)
  const query = useApi(['image', id, is_visible], () => api.images({ id }).get({ query: { content } }))
  return (
    <Page
      title="Image"
      actions={query.data && <Actions image={query.data} is_operator={is_operator} is_visible={is_visible} />}
    >
      <Loaded query={query} rows={8}>
        {(image) => (
          <>
            <div className="image-page">
              <Picture {...{ image, is_operator, is_visible }} onShow={show} />
              <ImageFacts image={image} />
            </div>
            {image.lineage.length > 1 && (
              <Section title="Lineage">
                <Lineage image={image} is_operator={is_operator} is_visible={is_visible} />
              </Section>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

interface PictureProps {
  image: ImageDetails
  is_operator: boolean
  is_visible: boolean
  onShow: () => void
}

const NO_PICTURE: Partial<Record<ImageDetails['state'], string>> = {
  generating: 'This image is being generated.',
  failed: 'This image failed and was not charged.',
  missing: 'The file of this image is missing.',
}

function Picture({ image, is_operator, is_visible, onShow }: PictureProps) {
  const without = NO_PICTURE[image.state]
  if (without !== undefined) return <Notice tone="warn">{without}</Notice>
  if (!is_visible)
    return (
      <HiddenPictures verb="Show image" onShow={onShow}>
        This image is private to its account. It is hidden until you show it.
      </HiddenPictures>
    )
  return (
    <img
      className="image-picture"
      src={imagePicture(image.id, is_operator)}
      alt={image.prompt ?? 'An image'}
      style={reservedSize(image)}
    />
  )
}

/** The space is reserved before the picture is loaded: as wide as the column, and no higher than most of the window. */
function reservedSize({ width, height }: ImageDetails) {
  if (width === null || height === null) return {}
  const ratio = width / height
  return { aspectRatio: String(ratio), width: `min(100%, ${width}px, calc(70vh * ${ratio}))` }
}

function ImageFacts({ image }: { image: ImageDetails }) {
  const { prompt, revised_prompt, model, kind, format, created_at_ms, id } = image
  return (
    <Facts
      facts={[
        ['Prompt', prompt ?? undefined],
        ['Revised prompt', revised_prompt ?? undefined],
        ['Model', model],
        [
          'Created',
          <>
            <Time at_ms={created_at_ms} />, {KIND_WORDS[kind]}
          </>,
        ],
        [
          'Size',
          [sizeOf(image), format?.toUpperCase(), image.bytes === null ? undefined : bytes(image.bytes)]
            .filter(Boolean)
            .join(', '),
        ],
        ['Id', <Id key="id" value={id} what="image id" />],
      ]}
    />
  )
}

function Actions({ image, is_operator, is_visible }: Omit<PictureProps, 'onShow'>) {
  const [, go] = useLocation()
  const { id, state, format } = image
  const is_there = state === 'stored'
  return (
    <>
      {is_there && !is_operator && (
        <ButtonLink icon={WandSparkles} href={asReference(id, undefined)} right="call">
          Use as reference
        </ButtonLink>
      )}
      {is_there && is_visible && (
        <a className="button" href={imagePicture(id, is_operator)} download={`${id}.${format ?? 'png'}`}>
          <Download className="icon" aria-hidden />
          Download
        </a>
      )}
      {state !== 'generating' && (
        <ConfirmButton
          icon={Trash2}
          right="call"
          title="Delete this image?"
          consequence="Deleted permanently. Its charge and images made from it are kept."
          verb="Delete image"
          work={() => send(api.images({ id }).delete()).then(() => go('/library'))}
          changes={['images']}
          done={() => 'The image is deleted.'}
        >
          Delete
        </ConfirmButton>
      )}
    </>
  )
}
