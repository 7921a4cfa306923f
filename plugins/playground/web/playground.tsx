// Page Playground: text and images, with billed calls.
import { useQueryClient } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import type { ReactNode } from 'react'
import { api, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import {
  AccountChoice,
  type AccountScope,
  ChosenAccount,
  useAccountScope,
} from '../../console/web/parts/account-choice.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { Button, ButtonLink } from '../../console/web/parts/button.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { EmptyState, Loaded } from '../../console/web/parts/states.tsx'
import { Tabs } from '../../console/web/parts/tabs.tsx'
import { ImagePage } from './image-page.tsx'
import type { Payer, Play } from './request.ts'
import { TextPage } from './text-page.tsx'

export default function Playground() {
  const scope = useAccountScope()
  const queries = useQueryClient()
  const query = useApi(['play', scope.account], () => api.play.get({ query: scope.query }))
  const onCharged = () => {
    for (const subject of ['play', 'images', 'calls', 'overview'])
      void queries.invalidateQueries({ queryKey: [subject] })
  }
  return (
    <Page title="Playground" actions={scope.account !== undefined && <ChosenAccount {...scope} />}>
      <Loaded query={query} rows={6}>
        {(play) => <Playing play={play} scope={scope} onCharged={onCharged} />}
      </Loaded>
    </Page>
  )
}

interface PlayingProps {
  play: Play
  scope: AccountScope
  onCharged: () => void
}

function Playing({ play, scope, onCharged }: PlayingProps) {
  const { payer, text_models, image_models } = play
  if (payer === null)
    return <AccountChoice why="Calls made here are billed to the account." onChoose={scope.choose} />
  if (text_models.length + image_models.length === 0)
    return <NoModels is_operator={scope.is_operator} payer={payer} />
  const tabs: { value: string; title: string; content: ReactNode }[] = []
  const common = { account: scope.account, onCharged }
  if (text_models.length > 0)
    tabs.push({ value: 'text', title: 'Text', content: <TextPage models={text_models} {...common} /> })
  if (image_models.length > 0)
    tabs.push({
      value: 'images',
      title: 'Images',
      content: <ImagePage models={image_models} {...common} />,
    })
  return (
    <>
      <p>
        <PaidBy payer={payer} />
      </p>
      <Unusable payer={payer} scope={scope} />
      <Tabs label="Output" tabs={tabs} />
    </>
  )
}

function PaidBy({ payer: { account, available_nanos, key } }: { payer: Payer }) {
  return (
    <>
      Calls are billed to {account}, with a balance of <Money nanos={available_nanos} balance />
      {key && (
        <>
          , with the key <b>{key.name}</b> <code>{key.prefix}</code>
          {key.spend_limit_nanos !== null && (
            <>
              {' '}
              (<Money nanos={key.spent_nanos} /> of <Money nanos={key.spend_limit_nanos} /> spent)
            </>
          )}
        </>
      )}
      .
    </>
  )
}

function Unusable({ payer, scope }: { payer: Payer; scope: AccountScope }) {
  const { account, status, key, may_renew } = payer
  const renew = useAction({
    work: () => send(api.play.key.post(undefined, { query: scope.query })),
    changes: ['play', 'keys'],
    done: () => ({ text: 'The key “console” was created.' }),
  })
  if (status === 'suspended')
    return (
      <Notice tone="warn">
        {account} is suspended. Its calls are refused.{' '}
        {scope.is_operator ? 'Resume it on its page.' : 'Ask the operator of this gateway to resume it.'}
      </Notice>
    )
  if (key === null || key.state === 'usable') return null
  return (
    <Notice tone="warn">
      <p>
        The key “{key.name}” <code>{key.prefix}</code>, which pays for calls from here,{' '}
        {key.state === 'revoked' ? 'was revoked' : 'has expired'}.
      </p>
      {may_renew && (
        <p className="notice-action">
          <Button small busy={renew.busy} onClick={() => renew.run(undefined)}>
            Create new key
          </Button>
        </p>
      )}
    </Notice>
  )
}

function NoModels({ is_operator, payer }: { is_operator: boolean; payer: Payer }) {
  const is_limited = payer.key?.models != null
  return (
    <EmptyState
      icon={FlaskConical}
      title="No models to try"
      action={
        is_operator ? (
          <ButtonLink look="primary" href={is_limited ? '/keys' : '/models'}>
            {is_limited ? 'Go to Keys' : 'Go to Models'}
          </ButtonLink>
        ) : undefined
      }
    >
      {is_limited
        ? `The key “${payer.key?.name}” may call ${payer.key?.models?.join(', ')} only, and none of these generates text or images.`
        : 'The catalogue has no text or image model.'}
    </EmptyState>
  )
}
