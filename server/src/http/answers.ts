import type { Contract, PublicOf, ResourceName } from '@chancery/contract'
import type { Disclosure } from '../disclosure/disclosure.ts'
import type { Page } from '../store/paging.ts'
import { notFound } from './api-error.ts'
import type { HandlerResult } from './define-operation.ts'

type Public<N extends ResourceName> = PublicOf<Contract['resources'][N]>

/** One thing as everybody sees it; undefined is 404. */
export function itemResult<N extends ResourceName>(
  disclose: Disclosure,
  name: N,
  thing: Public<N> | undefined,
): HandlerResult {
  if (thing === undefined) throw notFound(name.replaceAll('_', ' '))
  return { one: disclose.toPublic(name, thing) }
}

/** A page of things as everybody sees them. */
export function pageResult<N extends ResourceName>(
  disclose: Disclosure,
  name: N,
  { items, total }: Page<Public<N>>,
): HandlerResult {
  return { many: items.map(item => disclose.toPublic(name, item)), total, resource: name }
}
