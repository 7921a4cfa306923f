// The page Edit provider: keys, address and limits, and the provider's deletion.
import { useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { pathPart } from '../../../console/web/app/client.ts'
import type { PageProps } from '../../../console/web/app/page-entry.ts'
import { ButtonLink } from '../../../console/web/parts/button.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Page } from '../../../console/web/parts/page.tsx'
import { AwaitedPage } from '../../../console/web/parts/states.tsx'
import { useDraft, useFile } from '../parts/draft.ts'
import { useKnownList } from '../parts/known.ts'
import { useOpenedBlock } from '../parts/opened-block.ts'
import { ProviderFields } from '../parts/provider-fields.tsx'
import { SaveBar } from '../parts/save-bar.tsx'
import { useSettings } from '../parts/schema-fields.tsx'
import { blocksOf, type CatalogueFile } from '../parts/values.ts'
import { DeleteProvider } from './delete-provider.tsx'

export default function EditProviderPage({ params }: PageProps) {
  const name = params.name ?? ''
  const file = useFile()
  // Waits for settings and known servers too: their fields would shift the page.
  const others = [useSettings(), useKnownList()]
  const awaited = others.find(({ data }) => data === undefined)
  if (!file.data || awaited) return <AwaitedPage title={`Edit ${name}`} query={awaited ?? file} />
  return <ProviderForm name={name} read={file.data} />
}

const hrefOf = (name: string) => `/providers/${pathPart(name)}`

function ProviderForm({ name, read }: { name: string; read: CatalogueFile }) {
  const draft = useDraft(read)
  const [, go] = useLocation()
  const { place, renamed, is_deleted } = useOpenedBlock(draft, 'providers', name)
  const provider = is_deleted ? undefined : blocksOf(draft.values, 'providers')[place]
  useEffect(() => {
    if (renamed !== undefined) go(hrefOf(renamed))
  }, [renamed, go])
  return (
    <Page
      title={`Edit ${name}`}
      width="form"
      actions={
        <>
          {!draft.is_changed && !draft.is_changing && (
            <>
              {provider && <DeleteProvider name={name} place={place} file={draft.file} />}
              <ButtonLink href={hrefOf(name)}>Close</ButtonLink>
            </>
          )}
          <SaveBar draft={draft} />
        </>
      }
    >
      {draft.failure && <Notice tone="bad">{draft.failure}</Notice>}
      {provider ? (
        <ProviderFields draft={draft} path={['providers', place]} provider={provider} />
      ) : (
        <Notice tone="warn">
          {read.values === null
            ? 'The configuration file has mistakes. Fix them first: '
            : `The configuration file has no provider "${name}": `}
          <Link href="/system/configuration">Configuration file</Link>
        </Notice>
      )}
    </Page>
  )
}
