import type { Contract, PublicOf, ResourceName } from '@chancery/contract'
import type { Disclosure } from '../disclosure/disclosure.ts'
import type { Page } from '../store/paging.ts'
import { notFound } from './api-error.ts'
import type { Answer } from './define-route.ts'

type Public<N extends ResourceName> = PublicOf<Contract['resources'][N]>

/** One thing as everybody sees it; undefined is 404. */
export function one<N extends ResourceName>(
  disclose: Disclosure,
  name: N,
  thing: Public<N> | undefined,
): Answer {
  if (thing === undefined) throw notFound(name.replaceAll('_', ' '))
  return { one: disclose.toEveryone(name, thing) }
}

/** A page of things as everybody sees them. */
export function many<N extends ResourceName>(
  disclose: Disclosure,
  name: N,
  { items, total }: Page<Public<N>>,
): Answer {
  return { many: items.map(item => disclose.toEveryone(name, item)), total, resource: name }
}
