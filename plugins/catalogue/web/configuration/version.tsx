// The page of one version of the catalogue: its changes, and its restoration.
import { RotateCcw } from 'lucide-react'
import { useLocation } from 'wouter'
import { type AnswerOf, ApiError, api, pathPart } from '../../../console/web/app/client.ts'
import type { PageProps } from '../../../console/web/app/page-entry.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { useAddressState } from '../../../console/web/parts/address-state.ts'
import { Button, ButtonLink } from '../../../console/web/parts/button.tsx'
import { Choices } from '../../../console/web/parts/choices.tsx'
import { AsCommand } from '../../../console/web/parts/code.tsx'
import { Facts } from '../../../console/web/parts/facts.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Page, Section } from '../../../console/web/parts/page.tsx'
import { AwaitedPage } from '../../../console/web/parts/states.tsx'
import { Time } from '../../../console/web/parts/time.tsx'
import { Words } from '../../../console/web/parts/words.tsx'
import { Diff } from '../parts/diff.tsx'
import { keepDraft, keptDraft, useFile } from '../parts/draft.ts'
import { ReviewDialog, useReview } from '../parts/review-dialog.tsx'
import { useSaveCatalogue } from '../parts/saving.ts'
import type { CatalogueFile } from '../parts/values.ts'
import { SavedBy } from './history.tsx'

type Version = AnswerOf<ReturnType<typeof api.catalogue.versions>['get']>

export default function VersionPage({ params }: PageProps) {
  const number = params.version ?? ''
  const version = useApi(['catalogue', 'version', number], () =>
    api.catalogue.versions({ version: pathPart(number) }).get(),
  )
  const file = useFile()
  if (!version.data || !file.data)
    return <AwaitedPage title={`Configuration version ${number}`} query={version.data ? file : version} />
  return <OneVersion own={version.data} file={file.data} />
}

type ComparedWith = 'before' | 'now'

function OneVersion({ own, file }: { own: Version; file: CatalogueFile }) {
  const [state, change] = useAddressState({ against: 'before' })
  const against: ComparedWith = state.against === 'now' ? 'now' : 'before'
  const { version, before, in_force } = own
  return (
    <Page
      title={`Configuration version ${String(version)}`}
      lead={in_force ? 'This version is in force.' : undefined}
      actions={
        <>
          <ButtonLink href="/system/configuration/history">All versions</ButtonLink>
          {!in_force && <Restore own={own} file={file} />}
        </>
      }
    >
      <Facts
        facts={[
          ['Saved', <Time key="saved" at_ms={own.made_at_ms} exact />],
          ['By', <SavedBy key="by" by={own.by} />],
        ]}
      />
      <Section
        title="Changed lines"
        actions={
          !in_force && (
            <Choices
              label="Compared with"
              options={[
                { value: 'before', label: 'From the version before' },
                { value: 'now', label: 'If restored now' },
              ]}
              value={against}
              onChange={(value) => change({ against: value })}
            />
          )
        }
      >
        {against === 'now' && file.text !== null ? (
          <Diff before={file.text} after={own.draft.text} />
        ) : before ? (
          <Diff before={before.text} after={own.text} />
        ) : (
          <>
            <p className="soft">This is the oldest kept version: all of its lines are shown.</p>
            <Diff before="" after={own.text} />
          </>
        )}
      </Section>
      <AsCommand command={`tollgate config ${in_force ? 'history' : 'restore'} ${String(version)}`} />
    </Page>
  )
}

function Restore({ own: { version, draft }, file }: { own: Version; file: CatalogueFile }) {
  const { reviewing, open } = useReview(async () => draft.text, file, useSaveCatalogue())
  return (
    <>
      <Button
        look="primary"
        icon={RotateCcw}
        right="operate"
        busy={open.isPending}
        onClick={() => open.mutate()}
      >
        Restore this version
      </Button>
      {open.error && <CannotRestore failure={open.error} text={draft.text} hash={file.hash} />}
      <ReviewDialog
        reviewing={reviewing}
        title={`Restore version ${String(version)}?`}
        verb="Restore version"
      >
        {draft.other_keys.length > 0 && (
          <Notice>
            Keys stay as they are now:{' '}
            {draft.other_keys.map((place, at) => (
              <span key={place}>
                {at > 0 && ', '}
                <code>{place}</code>
              </span>
            ))}
            .
          </Notice>
        )}
      </ReviewDialog>
    </>
  )
}

/** Offers to open the version as a draft, in which missing keys can be filled in. */
function CannotRestore({ failure, text, hash }: { failure: Error; text: string; hash: string }) {
  const [, go] = useLocation()
  const has_mistakes = failure instanceof ApiError && failure.code === 'configuration_mistakes'
  const openAsDraft = () => {
    keepDraft({ text, hash, made_at: '' }, text)
    go('/system/configuration')
  }
  return (
    <Notice tone="bad" alert>
      <p>
        <Words>{failure.message}</Words>
      </p>
      {has_mistakes && (
        <Button small onClick={openAsDraft}>
          {keptDraft() === null ? 'Open it as a draft' : 'Replace your draft with it'}
        </Button>
      )}
    </Notice>
  )
}
