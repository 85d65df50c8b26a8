import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { DeliveryFailed } from '../outbox/delivery-failed.ts';

/** IANA's special-purpose address ranges: no receiver on the Internet uses them. */
const NOT_PUBLIC = [
  '0.0.0.0/8', // this host
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'], // private, and behind a carrier's NAT
  ...['127.0.0.0/8', '169.254.0.0/16'], // loopback; link-local, where clouds keep their credentials
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'], // multicast, reserved and broadcast
  ...['::/3', '4000::/2', '8000::/1'], // all but 2000::/3: loopback, v4-mapped, NAT64, unique local, link-local, multicast
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'], // Teredo and others, documentation, 6to4
];

/**
 * Creates a check whether an address is in any of the networks. It separates IPv4 from IPv6: in a BlockList, `::/3`
 * would contain all of IPv4.
 */
const createMatcher = (networks: readonly string[]): ((address: string) => boolean) => {
  const lists = { 4: new BlockList(), 6: new BlockList() };
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const isV6 = isIP(address) === 6;
    lists[isV6 ? 6 : 4].addSubnet(address, Number(bits ?? (isV6 ? 128 : 32)), isV6 ? 'ipv6' : 'ipv4');
  }
  return (address) =>
    isIP(address) === 6 ? lists[6].check(address, 'ipv6') : lists[4].check(address, 'ipv4');
};

/**
 * Allows connections to public addresses, and to the networks that are listed: `10.1.0.0/16`, `127.0.0.1`. A name is
 * checked when it is resolved for the connection, so it cannot be public when it is checked and private afterwards.
 */
export const createAddressRule = (allowed: readonly string[]) => {
  const [isRefused, isAllowed] = [createMatcher(NOT_PUBLIC), createMatcher(allowed)];
  const check = (address: string, host: string): void => {
    const [bare = ''] = address.split('%'); // fe80::1%eth0
    if (isAllowed(bare) || !isRefused(bare)) return;
    const where = host === address ? host : `${host} (${address})`;
    throw new DeliveryFailed(
      `${where} is not a public address; add its network to \`allow\` if it may receive webhooks`,
      { isPermanent: true },
    );
  };
  const lookUp: LookupFunction = (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return done(error ?? new Error(`${host} has no address`), '');
      try {
        for (const { address } of addresses) check(address, host);
      } catch (refusal) {
        return done(refusal instanceof Error ? refusal : new Error(String(refusal)), '');
      }
      if (options.all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
  return {
    /** Looks a name up for a connection, and fails if any of its addresses is refused. */
    lookup: lookUp,
    /** Throws if a host is an address that must not be connected to. A name is checked when it is looked up. */
    checkHost(host: string): void {
      const address = host.replace(/^\[(.*)\]$/, '$1');
      if (isIP(address) !== 0) check(address, address);
    },
  };
};
