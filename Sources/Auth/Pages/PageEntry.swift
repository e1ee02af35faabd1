internal import Contracts

@section("latchkey_contracts") @used
private let entry: ContractEntry = {
    Contract.registerPages { pages in
        AdminConsole(pages: pages).all
            + (pages.areForUsers ? PageEndpoints.all + FirstAdministratorPage.endpoints : [])
    }
}
